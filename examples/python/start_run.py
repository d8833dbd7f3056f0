"""Starts the workflow `encode` from Python, tells how far it is, and prints its result:

    python start_run.py s3://recordings/talk.wav s3://published/talk.opus

TEMPORAL_ADDRESS names the Temporal server.
"""

import asyncio
import json
import os
import sys
import uuid

try:
    from temporalio.client import Client, WorkflowFailureError
except ModuleNotFoundError as error:
    sys.exit(f"{error}. Install what the example needs: pip install -r requirements.txt")


async def main(source_url: str, upload_url: str) -> int:
    client = await Client.connect(os.environ.get("TEMPORAL_ADDRESS", "127.0.0.1:7233"))
    handle = await client.start_workflow(
        "encode",
        {"sourceUrl": source_url, "outputs": [{"format": "opus_32", "uploadUrl": upload_url}]},
        id=f"encode-{uuid.uuid4()}",
        task_queue="holdfast",
    )
    result = asyncio.ensure_future(handle.result())
    while not result.done():
        status = await handle.query("status")
        print(status["phase"], flush=True)
        await asyncio.wait([result], timeout=0.5)
    try:
        print(json.dumps(await result), flush=True)
        return 0
    except WorkflowFailureError as error:
        # In words: what happened, to which file, and what to do.
        print(f"The run failed: {error.cause}", file=sys.stderr, flush=True)
        return 1


if len(sys.argv) != 3:
    sys.exit("Usage: python start_run.py <source URL> <target URL>")
# Without the interpreter's clean-up, in which threads of the SDK may still end the program by a signal (temporalio/sdk-python, issue 300).
try:
    status = asyncio.run(main(*sys.argv[1:]))
except RuntimeError as error:
    # No Temporal server answers.
    print(error, file=sys.stderr, flush=True)
    status = 1
os._exit(status)
