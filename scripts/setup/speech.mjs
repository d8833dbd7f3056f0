import { namedByVariable } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

const packages = ['espeakng-loader==0.2.4'];

/** Path of a Python with eSpeak NG, which speaks texts with known times of words in the tests, or undefined. */
export async function findSpeech() {
  return namedByVariable('SPEECH_PYTHON') ?? findPython(packages);
}

export async function installSpeech() {
  return await ensurePython(packages, {
    title: 'Installing eSpeak NG, which speaks texts in the tests, from PyPI',
    expected: 'some seconds, once on this machine',
  });
}
