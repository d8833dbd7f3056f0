"""Measures floats from standard input with two meters other than ffmpeg's and prints JSON: `meters.py <channels> <Hz>`."""

import json
import sys

import numpy
import pyebur128
import pyloudnorm

channels, rate = int(sys.argv[1]), int(sys.argv[2])
samples = numpy.frombuffer(sys.stdin.buffer.read(), dtype="<f4").astype(numpy.float64)
mode = pyebur128.MeasurementMode
state = pyebur128.R128State(channels, rate, mode.MODE_I | mode.MODE_TRUE_PEAK)
state.add_frames(samples, len(samples) // channels)
peak = max(pyebur128.get_true_peak(state, channel) for channel in range(channels))
# The exact filters of BS.1770; pyloudnorm's default ones deviate by 0.2 LU at 8 kHz.
meter = pyloudnorm.Meter(rate, filter_class="DeMan")
try:
    loudness = meter.integrated_loudness(samples.reshape(-1, channels))
except ValueError:  # shorter than a block, or more than five channels
    loudness = numpy.nan
answer = {
    "libebur128": pyebur128.get_loudness_global(state),
    "truePeak": 20 * float(numpy.log10(max(peak, 1e-9))),
    "pyloudnorm": loudness,
}
# JSON has no NaN or infinity.
print(json.dumps({key: value if numpy.isfinite(value) else None for key, value in answer.items()}))
