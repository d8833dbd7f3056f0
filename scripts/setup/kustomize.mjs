import { cachedProgram, goInstall } from './go-install.mjs';
import { isExecutableFile, namedByVariable, onPath } from './places.mjs';

const version = 'v5.7.1';

/** Path of kustomize, which builds the Kubernetes manifests, or undefined. */
export function findKustomize() {
  const program = cachedProgram('kustomize', version);
  return namedByVariable('KUSTOMIZE_PATH') ?? onPath('kustomize') ?? (isExecutableFile(program) ? program : undefined);
}

export async function buildKustomize() {
  return await goInstall({
    name: 'kustomize',
    asksVersion: ['version'],
    module: 'sigs.k8s.io/kustomize/kustomize/v5',
    version,
    title: 'Building kustomize, which builds the manifests for the tests, with Go',
    expected: 'about 2 minutes, once on this machine',
    remedy: 'Install kustomize so that it is on PATH, or name it in KUSTOMIZE_PATH, and run the command again.',
  });
}
