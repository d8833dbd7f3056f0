"""Windows of sound in which somebody speaks. The engine transcribes these alone."""

import math

import numpy

STEP_SECONDS = 0.032
# Probability of speech in a step. Quiet ends of words have less than half.
SPEECH = 0.3
# A sound is speech only if so many steps (0.16 s) are surely speech. Notes of music have fewer.
SURE = 0.5
LEAST_SURE_STEPS = 5
# Sound without speech is left out if it lasts longer than this pause of a speaker.
LONGEST_PAUSE_SECONDS = 2
# Sound before the first and after the last word of a window, and the precision of the times of words.
EDGE_SECONDS = 0.4


def speech_windows(probabilities, seconds):
    """Start and end of each window in seconds, in order, for the probability of speech in each step."""
    ranges = []
    for step in numpy.flatnonzero(probabilities >= SPEECH).tolist():
        if ranges and (step - ranges[-1][1]) * STEP_SECONDS < LONGEST_PAUSE_SECONDS:
            ranges[-1][1] = step + 1
        else:
            ranges.append([step, step + 1])
    return [
        (round(max(0, start * STEP_SECONDS - EDGE_SECONDS), 3), round(min(end * STEP_SECONDS + EDGE_SECONDS, seconds), 3))
        for start, end in ranges
        if numpy.count_nonzero(probabilities[start:end] >= SURE) >= LEAST_SURE_STEPS
    ]


def has_speech(probabilities, start, end):
    """Whether somebody speaks between two times in seconds."""
    first = int(max(0, start - EDGE_SECONDS) / STEP_SECONDS)
    last = math.ceil((end + EDGE_SECONDS) / STEP_SECONDS)
    return bool((probabilities[first:last] >= SPEECH).any())
