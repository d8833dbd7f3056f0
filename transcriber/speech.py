"""Speech in the sound: how probable it is in each 32 ms.

The model is Silero VAD, whose weights faster-whisper's package has. numpy computes it: onnxruntime takes 100 MB.
"""

from pathlib import Path

import faster_whisper
import numpy
from threadpoolctl import threadpool_limits

# Samples of one probability, at 16 kHz, and of the sound before it that the model gets too.
STEP = 512
CONTEXT = 64
FFT_SIZE = 256
HOP = 128
HIDDEN = 128
# Steps whose spectra are computed at once.
BATCH = 2_000


class SpeechModel:
    """Takes 1 MB, and 50 MB and a copy of the samples while it computes. A minute of sound takes 0.2 s."""

    def __init__(self):
        weights = read_weights(Path(faster_whisper.__file__).parent / "assets" / "silero_vad_v6.onnx")
        self._basis = weights["encoder.feature_extractor.forward_basis_buffer"][:, 0].T
        # Rows of a convolution's input are three neighbours in time, each with all channels.
        self._layers = [
            (
                weights[f"encoder.conv_layers.{layer}.weight"].transpose(2, 1, 0).reshape(-1, weights[f"encoder.conv_layers.{layer}.bias"].size),
                weights[f"encoder.conv_layers.{layer}.bias"],
                stride,
            )
            for layer, stride in enumerate([1, 2, 2, 1])
        ]
        self._entering = weights["onnx::LSTM_209"][0].T
        self._recurrent = weights["onnx::LSTM_210"][0].T
        self._biases = weights["onnx::LSTM_211"][0].reshape(2, -1).sum(axis=0)
        self._output = weights["decoder.conv1d.weight"][0, :, 0]
        self._output_bias = weights["decoder.conv1d.bias"][0]

    def probabilities(self, samples):
        """The probability of speech in each step of the samples, whose rate is 16 kHz. Uses one thread, as voices do."""
        padded = numpy.pad(samples, (CONTEXT, -len(samples) % STEP))
        steps = numpy.lib.stride_tricks.sliding_window_view(padded, CONTEXT + STEP)[::STEP]
        with threadpool_limits(limits=1, user_api="blas"):
            # One batch at a time: the rows of an hour take 230 MB.
            rows = (row for first in range(0, len(steps), BATCH) for row in self._encode(steps[first : first + BATCH]))
            return self._decode(rows, len(steps))

    def _encode(self, steps):
        mirrored = numpy.pad(steps, ((0, 0), (0, CONTEXT)), mode="reflect")
        frames = numpy.lib.stride_tricks.sliding_window_view(mirrored, FFT_SIZE, axis=1)[:, ::HOP]
        parts = frames @ self._basis
        real, imaginary = numpy.split(parts, 2, axis=2)
        values = numpy.sqrt(real**2 + imaginary**2)
        for weights, bias, stride in self._layers:
            edged = numpy.pad(values, ((0, 0), (1, 1), (0, 0)))
            neighbours = numpy.concatenate([edged[:, :-2], edged[:, 1:-1], edged[:, 2:]], axis=2)[:, ::stride]
            values = numpy.maximum(0, neighbours @ weights + bias)
        return values[:, 0] @ self._entering + self._biases

    def _decode(self, rows, count):
        hidden = cell = numpy.zeros(HIDDEN, numpy.float32)
        found = numpy.zeros(count, numpy.float32)
        for index, row in enumerate(rows):
            gates = row + hidden @ self._recurrent
            candidate = numpy.tanh(gates[3 * HIDDEN :])
            entry, exit, memory = numpy.split(0.5 + 0.5 * numpy.tanh(0.5 * gates[: 3 * HIDDEN]), 3)
            cell = memory * cell + entry * candidate
            hidden = exit * numpy.tanh(cell)
            found[index] = numpy.maximum(0, hidden) @ self._output + self._output_bias
        return 0.5 + 0.5 * numpy.tanh(0.5 * found)


def read_weights(path):
    """The arrays of float32 in a file of ONNX, by their names. The file is protobuf: numbered fields."""
    graph = next(value for number, value in fields(path.read_bytes()) if number == 7)
    weights = {}
    for number, value in fields(graph):
        if number != 5:
            continue
        tensor = list(fields(value))
        (kind,) = (entry for key, entry in tensor if key == 2)
        if kind == 1:
            name, data = (next(entry for key, entry in tensor if key == wanted) for wanted in (8, 9))
            shape = [size for key, entry in tensor if key == 1 for size in (varints(entry) if isinstance(entry, bytes) else [entry])]
            weights[name.decode()] = numpy.frombuffer(data, "<f4").reshape(shape)
    return weights


def fields(message):
    at = 0
    while at < len(message):
        key, at = varint(message, at)
        if key & 7 == 0:
            value, at = varint(message, at)
        else:
            length, at = varint(message, at) if key & 7 == 2 else ({1: 8, 5: 4}[key & 7], at)
            value, at = message[at : at + length], at + length
        yield key >> 3, value


def varints(packed):
    at = 0
    while at < len(packed):
        value, at = varint(packed, at)
        yield value


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        shift += 7
        at += 1
        if byte < 128:
            return value, at
