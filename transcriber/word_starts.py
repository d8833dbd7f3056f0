"""Beginnings of words, by the model's times and by the pauses in the sound."""

import bisect
import math

import numpy

# The model places the beginning of a word late: by 0.11 s on average on eSpeak's voices, and by 0.08 s on recordings.
WORD_LAG_SECONDS = 0.1
# Speech that begins within this distance of a word is the beginning of that word.
ONSET_BEFORE_SECONDS = 0.5
ONSET_AFTER_SECONDS = 0.4
FRAMES_PER_SECOND = 100
# The stop in a plosive such as "t" is shorter.
PAUSE_FRAMES = 16
# Louder frames are speech, as a share of the loud ones: -30 dB.
SPEECH_SHARE = 0.03


def loud_frames(samples, sample_rate):
    """Whether there is speech in each hundredth of a second."""
    width = sample_rate // FRAMES_PER_SECOND
    count = len(samples) // width
    if count == 0:
        return numpy.zeros(0, bool)
    levels = numpy.sqrt(numpy.mean(samples[: count * width].reshape(count, width) ** 2, axis=1))
    return levels > max(numpy.percentile(levels, 95) * SPEECH_SHARE, 1e-4)


def speech_onsets(loud):
    """Times at which speech begins after a pause."""
    frames = [int(frame) for frame in numpy.flatnonzero(loud)]
    return [
        frame / FRAMES_PER_SECOND
        for before, frame in zip([-PAUSE_FRAMES - 1, *frames], frames)
        if frame - before > PAUSE_FRAMES
    ]


def word_starts(starts, onsets):
    """Beginnings of words, corrected by the model's lag and by the pauses in the sound."""
    corrected = []
    previous = -1.0
    for index, start in enumerate(starts):
        following = starts[index + 1] if index + 1 < len(starts) else math.inf
        # An onset begins one word only.
        first = bisect.bisect_right(onsets, max(start - ONSET_BEFORE_SECONDS, previous))
        last = bisect.bisect_right(onsets, min(start + ONSET_AFTER_SECONDS, following))
        wanted = start - WORD_LAG_SECONDS
        near = onsets[first:last]
        previous = min(near, key=lambda onset: abs(onset - wanted)) if near else max(previous, wanted, 0.0)
        corrected.append(previous)
    return corrected
