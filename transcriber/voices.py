"""Voices in the sound: one vector for each window of speech, which is similar for windows of one speaker.

The model is the speaker encoder of Resemblyzer: an LSTM of three layers over mel spectra of 1.6 s, whose vectors were
trained on the voices of 1,800 people. The package has its weights; numpy computes the vectors, without PyTorch.
"""

import importlib.util
import pickle
from collections import OrderedDict
from pathlib import Path

import numpy
from threadpoolctl import threadpool_limits

# 25 ms every 10 ms, and 40 bands: the spectra that the model was trained with.
FFT_SIZE = 400
HOP = 160
BANDS = 40
HIDDEN = 256
LAYERS = 3
# Frames of 10 ms: the model was trained with windows of 1.6 s.
WINDOW_FRAMES = 160
STEP_FRAMES = 80
PAUSE_FRAMES = 20
# Shorter sounds are clicks and breaths.
MIN_FRAMES = 20
# The level that the model was trained with; louder sound stays as it is.
LEVEL = 10 ** (-30 / 20)
# Windows, and frames of spectra, that are computed at once: some tens of megabytes.
BATCH = 64
FRAMES_AT_ONCE = 6_000


class WeightsReader(pickle.Unpickler):
    """Reads tensors of PyTorch's former file format. Every class but those of plain tensors is refused."""

    def find_class(self, module, name):
        allowed = {
            ("collections", "OrderedDict"): OrderedDict,
            ("torch", "FloatStorage"): "float32",
            ("torch._utils", "_rebuild_tensor_v2"): lambda storage, offset, size, *_: (storage, offset, size),
        }
        if (module, name) not in allowed:
            raise pickle.UnpicklingError(f"The weights contain {module}.{name}, which is no tensor.")
        return allowed[module, name]

    def persistent_load(self, saved):
        return saved[2]


def read_weights():
    package = importlib.util.find_spec("resemblyzer")
    with open(Path(package.origin).parent / "pretrained.pt", "rb") as file:
        # The magic number, the format's version and the machine's sizes of integers.
        for _ in range(3):
            WeightsReader(file).load()
        tensors = WeightsReader(file).load()["model_state"]
        storages = {}
        for key in WeightsReader(file).load():
            count = int(numpy.fromfile(file, "<i8", 1)[0])
            storages[key] = numpy.fromfile(file, "<f4", count)
    return {
        name: storages[storage][offset : offset + int(numpy.prod(size))].reshape(size)
        for name, (storage, offset, size) in tensors.items()
    }


def mel_filters(sample_rate):
    """Triangles of equal area on Slaney's mel scale: linear below 1 kHz, logarithmic above."""
    def to_hertz(mel):
        return numpy.where(mel < 15, mel * 200 / 3, 1000 * numpy.exp(numpy.log(6.4) / 27 * (mel - 15)))

    top = 15 + 27 * numpy.log(sample_rate / 2 / 1000) / numpy.log(6.4)
    edges = to_hertz(numpy.linspace(0, top, BANDS + 2))[:, None]
    bins = numpy.fft.rfftfreq(FFT_SIZE, 1 / sample_rate)[None, :]
    rising = (bins - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - bins) / (edges[2:] - edges[1:-1])
    triangles = numpy.maximum(0, numpy.minimum(rising, falling))
    return (triangles * 2 / (edges[2:] - edges[:-2])).T


class VoiceModel:
    """Vectors of 256 numbers. The product of two of one speaker is near 0.7, and of two speakers near 0.4."""

    def __init__(self, sample_rate):
        self._weights = read_weights()
        self._filters = mel_filters(sample_rate).astype(numpy.float32)
        self._hann = (0.5 - 0.5 * numpy.cos(2 * numpy.pi * numpy.arange(FFT_SIZE) / FFT_SIZE)).astype(numpy.float32)

    def voices(self, samples, loud):
        """
        Windows of speech: `start` and `end` in hundredths of a second, and `vector` of length 1. Uses one thread: on a
        busy machine, two threads of OpenBLAS mostly spin while they wait for each other, and the voices of a minute
        took 24 s instead of 1 s.
        """
        with threadpool_limits(limits=1, user_api="blas"):
            return self._voices(samples, loud)

    def _voices(self, samples, loud):
        ranges = windows_of(loud)
        level = level_of(samples, loud)
        spectra = self._spectra(samples * max(1.0, LEVEL / max(level, 1e-6)))
        found = []
        for first in range(0, len(ranges), BATCH):
            batch = ranges[first : first + BATCH]
            # A shorter window is padded at its end; its state is taken before the padding.
            inputs = numpy.zeros((WINDOW_FRAMES, len(batch), BANDS), numpy.float32)
            for index, (start, end) in enumerate(batch):
                inputs[: end - start, index] = spectra[start:end]
            lengths = [end - start for start, end in batch]
            vectors = self._vectors(inputs, lengths)
            found += [{"start": start, "end": end, "vector": vector} for (start, end), vector in zip(batch, vectors)]
        return found

    def _spectra(self, samples):
        """Power in each band, a row for each hundredth of a second, which is in the middle of its 25 ms."""
        padded = numpy.pad(samples, (FFT_SIZE // 2, FFT_SIZE // 2))
        frames = numpy.lib.stride_tricks.sliding_window_view(padded, FFT_SIZE)[::HOP]
        rows = [
            (numpy.abs(numpy.fft.rfft(part * self._hann)) ** 2).astype(numpy.float32) @ self._filters
            for part in numpy.array_split(frames, len(frames) // FRAMES_AT_ONCE + 1)
        ]
        return numpy.concatenate(rows)

    def _vectors(self, inputs, lengths):
        """The inputs are time, window, band."""
        states = inputs
        for layer in range(LAYERS):
            states = self._lstm(states, layer)
        last = numpy.stack([states[length - 1][index] for index, length in enumerate(lengths)])
        raw = numpy.maximum(0, last @ self._weights["linear.weight"].T + self._weights["linear.bias"])
        return raw / numpy.maximum(numpy.linalg.norm(raw, axis=1, keepdims=True), 1e-9)

    def _lstm(self, inputs, layer):
        """States of a layer: time, window, value."""
        biases = self._weights[f"lstm.bias_ih_l{layer}"] + self._weights[f"lstm.bias_hh_l{layer}"]
        entering = self._weights[f"lstm.weight_ih_l{layer}"].T
        recurrent = self._weights[f"lstm.weight_hh_l{layer}"].T
        hidden = cell = numpy.zeros((len(inputs[0]), HIDDEN), numpy.float32)
        states = []
        for values in inputs:
            gates = values @ entering + hidden @ recurrent + biases
            candidate = numpy.tanh(gates[:, 2 * HIDDEN : 3 * HIDDEN])
            # The logistic function, which does not overflow in this form.
            gates = 0.5 + 0.5 * numpy.tanh(0.5 * gates)
            cell = gates[:, HIDDEN : 2 * HIDDEN] * cell + gates[:, :HIDDEN] * candidate
            hidden = gates[:, 3 * HIDDEN :] * numpy.tanh(cell)
            states.append(hidden)
        return states


def level_of(samples, loud):
    """Of the speech alone: a chunk with long silence has the level of one without."""
    spoken = samples[: len(loud) * HOP].reshape(-1, HOP)[loud]
    return float(numpy.sqrt(numpy.mean(spoken**2))) if spoken.size else 0.0


def windows_of(loud):
    """Ranges of frames without long pauses. Speakers mostly change at a pause, so that few windows have two voices."""
    found = []
    for start, end in stretches(loud):
        count = max(1, round((end - start - WINDOW_FRAMES) / STEP_FRAMES) + 1)
        length = min(WINDOW_FRAMES, end - start)
        found += [
            (at, at + length) for at in (start + round(index * (end - start - length) / max(1, count - 1)) for index in range(count))
        ]
    return found


def stretches(loud):
    """Ranges of speech between pauses."""
    found = []
    for frame in numpy.flatnonzero(loud).tolist():
        if found and frame - found[-1][1] < PAUSE_FRAMES:
            found[-1][1] = frame + 1
        else:
            found.append([frame, frame + 1])
    return [(start, end) for start, end in found if end - start >= MIN_FRAMES]
