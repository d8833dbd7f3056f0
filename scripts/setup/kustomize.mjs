import { findGoProgram, goInstall } from './go-install.mjs';

const version = 'v5.7.1';

/** Path of kustomize, which builds the Kubernetes manifests, or undefined. */
export function findKustomize() {
  return findGoProgram('KUSTOMIZE_PATH', 'kustomize', version);
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
