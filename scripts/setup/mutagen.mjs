import { namedByVariable } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

const packages = ['mutagen==1.48.1'];

/** Path of a Python with mutagen, which reads tags in the tests, or undefined. */
export async function findMutagen() {
  return namedByVariable('MUTAGEN_PYTHON') ?? findPython(packages);
}

export async function installMutagen() {
  return await ensurePython(packages, {
    title: 'Installing mutagen, which reads tags in the tests, from PyPI',
    expected: 'some seconds, once on this machine',
  });
}
