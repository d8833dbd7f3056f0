import { namedByVariable } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';

const packages = ['schemathesis==4.32.5'];

/** Path of a Python with schemathesis, which sends requests made from the OpenAPI documents in the tests, or undefined. */
export async function findSchemathesis() {
  return namedByVariable('SCHEMATHESIS_PYTHON') ?? findPython(packages);
}

export async function installSchemathesis() {
  return await ensurePython(packages, {
    title: 'Installing schemathesis, which tests the OpenAPI documents, from PyPI',
    expected: 'half a minute, once on this machine',
  });
}
