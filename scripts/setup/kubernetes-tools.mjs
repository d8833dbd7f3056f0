import { join } from 'node:path';
import { cachedProgram, goInstall } from './go-install.mjs';
import { cacheFolder, isExecutableFile, onPath } from './places.mjs';
import { ensurePython, findPython } from './python-environment.mjs';
import { SetupError } from './setup-error.mjs';
import { runQuietly } from './step.mjs';

const kustomizeVersion = 'v5.7.1';
const kedaModule = 'github.com/kedacore/keda/v2@v2.21.0';
const packages = ['kubernetes-validate==1.37.0'];

/** What `npm run check:kubernetes` runs, made where it is missing. */
export async function ensureKubernetesTools() {
  const kustomize = await ensureKustomize();
  const python =
    findPython(packages) ??
    (await ensurePython(packages, { title: 'Installing kubernetes-validate, which checks manifests, from PyPI' }));
  return { kustomize, python, kedaDefinitions: await fetchKedaDefinitions() };
}

export async function ensureKustomize() {
  const cached = cachedProgram('kustomize', kustomizeVersion);
  return onPath('kustomize') ?? (isExecutableFile(cached) ? cached : await buildKustomize());
}

async function buildKustomize() {
  return await goInstall({
    name: 'kustomize',
    asksVersion: ['version'],
    module: 'sigs.k8s.io/kustomize/kustomize/v5',
    version: kustomizeVersion,
    title: 'Building kustomize with Go',
    expected: 'about 2 minutes, once on this machine',
    remedy: 'Install kustomize so that it is on PATH, and run the command again.',
  });
}

/** They are files of KEDA's Go module, which Go keeps. */
async function fetchKedaDefinitions() {
  const environment = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' };
  const { code, output } = await runQuietly('go', ['mod', 'download', '-json', kedaModule], environment, cacheFolder());
  const folder = /"Dir": "([^"]+)"/.exec(output)?.[1];
  if (code !== 0 || folder === undefined) throw new SetupError(`${kedaModule} could not be fetched: ${output.trim()}`);
  return join(folder, 'config', 'crd', 'bases');
}
