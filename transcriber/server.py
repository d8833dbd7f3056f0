"""Transcribes and translates speech on this machine, behind OpenAI's HTTP API of transcriptions and translations.

    python server.py --port 9000 [--host ADDRESS] [--models FOLDER]

The engine is faster-whisper. FOLDER has one folder for each further model, in CTranslate2's format. The server listens
on loopback unless ADDRESS is another one, and transcribes one file at a time.
"""

import argparse
import email.parser
import email.policy
import json
import os
import re
import select
import socket
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from engine import DEFAULT_MODEL, SAMPLE_RATE, ClientGone, Models, Refused, decode, log, log_failure, transcribe

# OpenAI's limit for a file. A chunk of a minute has a few hundred kilobytes.
MAX_BODY_BYTES = 25 * 1024 * 1024
# Requests that wait for their turn. Each holds its body in memory.
MAX_WAITING = 8
# Time without a byte of the request, after which the connection is closed.
READ_TIMEOUT_SECONDS = 60
# Time between two looks at a waiting client.
TURN_POLL_SECONDS = 0.5
# Microseconds of processor time in a period of so many microseconds, in a container with a limit.
QUOTA_FILE = Path("/sys/fs/cgroup/cpu.max")
FORMATS = ("json", "text", "verbose_json")
GRANULARITIES = ("segment", "word")
TASKS = {"/v1/audio/transcriptions": "transcribe", "/v1/audio/translations": "translate"}
# OpenAI's own value is logprobs.
INCLUDED = ("voices",)


class Form:
    """The fields of a request as OpenAI documents them."""

    def __init__(self, content_type, body):
        head = f"Content-Type: {content_type}\r\n\r\n".encode("latin-1", "replace")
        message = email.parser.BytesParser(policy=email.policy.HTTP).parsebytes(head + body)
        if message.get_content_type() != "multipart/form-data" or not message.is_multipart():
            raise Refused(415, "The request must be multipart/form-data.", "unsupported_media_type")
        fields = {}
        self.granularities = []
        self.included = []
        self.file = None
        for part in message.iter_parts():
            name = part.get_param("name", header="content-disposition")
            value = part.get_payload(decode=True) or b""
            if name == "file":
                self.file = value
            elif name == "timestamp_granularities[]":
                self.granularities.append(value.decode("utf-8", "replace"))
            elif name == "include[]":
                self.included.append(value.decode("utf-8", "replace"))
            else:
                fields[name] = value.decode("utf-8", "replace")
        if not self.file:
            raise Refused(400, "The field file is missing or empty.", "missing_file")
        self.model = fields.get("model") or DEFAULT_MODEL
        self.format = fields.get("response_format") or "json"
        if self.format not in FORMATS:
            raise Refused(400, f"response_format must be one of {', '.join(FORMATS)}.", "invalid_format")
        if any(name not in GRANULARITIES for name in self.granularities):
            raise Refused(400, f"timestamp_granularities must be of {', '.join(GRANULARITIES)}.", "invalid_granularity")
        if any(name not in INCLUDED for name in self.included):
            raise Refused(400, f"include must be of {', '.join(INCLUDED)}.", "invalid_include")
        language = fields.get("language") or None
        if language is not None and not re.fullmatch(r"[a-z]{2,3}", language):
            raise Refused(400, "language must be a code of ISO 639-1, such as en.", "invalid_language")
        self.options = {"language": language, "prompt": fields.get("prompt") or None, "temperature": number(fields.get("temperature"))}


def number(text):
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value <= 1:
        raise Refused(400, "temperature must be a number from 0 to 1.", "invalid_temperature")
    return value


class Turns:
    """Lets one request at a time transcribe."""

    def __init__(self):
        self._lock = threading.Lock()
        self._waiting = threading.BoundedSemaphore(MAX_WAITING)

    def take(self, is_gone):
        if not self._waiting.acquire(blocking=False):
            raise Refused(429, "Too many requests are waiting.", "busy", retry_after=5)
        try:
            while not self._lock.acquire(timeout=TURN_POLL_SECONDS):
                if is_gone():
                    raise ClientGone
        finally:
            self._waiting.release()

    def release(self):
        self._lock.release()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "holdfast-transcriber"
    sys_version = ""
    timeout = READ_TIMEOUT_SECONDS

    def do_GET(self):
        if self.path == "/health":
            self.answer(200, {"status": "healthy"})
        elif self.path == "/v1/models":
            self.answer(200, {"object": "list", "data": [{"id": name, "object": "model"} for name in self.server.models.names()]})
        else:
            self.answer_error(Refused(404, "There is no such endpoint.", "not_found"))

    def do_POST(self):
        started = time.monotonic()
        try:
            form, result = self.transcribe_request()
            if form.format == "text":
                self.answer(200, f"{result['text']}\n")
            elif form.format == "json":
                self.answer(200, {"text": result["text"]})
            else:
                wanted = form.granularities or ["segment"]
                left_out = [field for name, field in (("word", "words"), ("segment", "segments")) if name not in wanted]
                self.answer(200, {name: value for name, value in result.items() if name not in left_out})
            log(f"Transcribed {result['duration']} s with {form.model} in {time.monotonic() - started:.1f} s")
        except Refused as refused:
            self.answer_error(refused)
            log(f"Refused a request with {refused.status}: {refused}")
        except (ClientGone, ConnectionError, socket.timeout):
            self.close_connection = True
            log(f"The client disconnected after {time.monotonic() - started:.1f} s")
        except Exception:
            log_failure()
            self.answer_error(Refused(500, "The transcriber failed. Its log has the reason.", "internal"))

    def transcribe_request(self):
        task = TASKS.get(self.path)
        if task is None:
            raise Refused(404, "There is no such endpoint.", "not_found")
        length = self.headers.get("content-length", "")
        if not length.isdecimal():
            raise Refused(411, "The request must declare its length.", "length_required")
        if int(length) > MAX_BODY_BYTES:
            raise Refused(413, f"The request is larger than {MAX_BODY_BYTES} bytes.", "request_too_large")
        body = self.rfile.read(int(length))
        if len(body) < int(length):
            raise ClientGone
        form = Form(self.headers.get("content-type", ""), body)
        self.server.models.require(form.model)
        self.server.turns.take(self.is_gone)
        try:
            model = self.server.models.load(form.model)
            if task == "translate" and not model.model.is_multilingual:
                raise Refused(400, f"The model {form.model} knows English only, and cannot translate.", "cannot_translate")
            samples = decode(form.file)
            log(f"Transcribing {len(samples) / SAMPLE_RATE:.0f} s with {form.model}")
            voice_model = self.server.models.voices() if "voices" in form.included else None
            return form, transcribe(model, samples, {**form.options, "task": task}, self.is_gone, self.server.models.speech, voice_model)
        finally:
            self.server.turns.release()

    def is_gone(self):
        """True after the client has closed the connection: the socket is readable and has no byte."""
        readable, _, _ = select.select([self.connection], [], [], 0)
        try:
            return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except ConnectionError:
            return True

    def answer_error(self, refused):
        # The rest of a refused request is not read.
        self.close_connection = True
        kind = "server_error" if refused.status >= 500 else "invalid_request_error"
        error = {"message": str(refused), "type": kind, "param": None, "code": refused.code}
        headers = {} if refused.retry_after is None else {"retry-after": str(refused.retry_after)}
        self.answer(refused.status, {"error": error}, headers)

    def answer(self, status, content, headers=None):
        is_text = isinstance(content, str)
        body = content.encode() if is_text else json.dumps(content, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain; charset=utf-8" if is_text else "application/json")
        self.send_header("content-length", str(len(body)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        """Each request has a line of its own."""


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address, models):
        super().__init__(address, Handler)
        self.models = models
        self.turns = Turns()


def available_cores():
    """Cores that this process may use. More threads than the quota of the control group allows would wait for each other."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    try:
        quota, period = QUOTA_FILE.read_text().split()
        return min(cores, max(1, round(int(quota) / int(period))))
    except (OSError, ValueError):
        # There is no control group of version 2, or its quota is `max`.
        return cores


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    arguments.add_argument("--models", help="folder of further models")
    options = arguments.parse_args()
    Server((options.host, options.port), Models(options.models, available_cores())).serve_forever()


if __name__ == "__main__":
    main()
