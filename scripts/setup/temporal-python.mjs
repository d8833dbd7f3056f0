import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { namedByVariable, projectRoot } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

/** Requirements of the example. */
function packages() {
  return readFileSync(join(projectRoot, 'examples/python/requirements.txt'), 'utf8').trim().split('\n');
}

/** Path of a Python with Temporal's SDK for the Python example, or undefined. */
export async function findTemporalPython() {
  return namedByVariable('TEMPORAL_PYTHON') ?? findPython(packages());
}

export async function installTemporalPython() {
  return await ensurePython(packages(), {
    title: 'Installing the Temporal SDK for Python, for its example, from PyPI',
    expected: 'some seconds, once on this machine',
  });
}
