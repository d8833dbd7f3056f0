import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { cachedProgram, goInstall } from './go-install.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, onPath, projectRoot } from './places.mjs';
import { ensurePython } from './python-environment.mjs';
import { SetupError } from './setup-error.mjs';
import { runQuietly } from './step.mjs';

const kedaModule = 'github.com/kedacore/keda/v2@v2.21.0';
const packages = ['kubernetes-validate==1.37.0'];
const apiServerFolder = join(projectRoot, 'scripts/setup/kube-apiserver');

export async function ensureKubernetesValidate() {
  return await ensurePython(packages, { title: 'Installing kubernetes-validate, which checks manifests, from PyPI' });
}

/** The definitions are files of KEDA's Go module, which Go caches. */
export async function ensureKedaDefinitions() {
  const environment = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' };
  const { code, output } = await runQuietly('go', ['mod', 'download', '-json', kedaModule], environment, cacheFolder());
  const folder = /"Dir": "([^"]+)"/.exec(output)?.[1];
  if (code !== 0 || folder === undefined) throw new SetupError(`${kedaModule} could not be fetched: ${output.trim()}`);
  return join(folder, 'config', 'crd', 'bases');
}

export async function ensureKubeApiServer() {
  const etcd = onPath('etcd') ?? (await installEtcd());
  const module = readFileSync(join(apiServerFolder, 'go.mod'), 'utf8');
  const version = /^require k8s\.io\/kubernetes (\S+)$/m.exec(module)[1];
  const cached = cachedProgram('kube-apiserver', version);
  return { etcd, version, apiServer: isExecutableFile(cached) ? cached : await buildApiServer(version) };
}

async function buildApiServer(version) {
  return await goInstall({
    name: 'kube-apiserver',
    module: 'k8s.io/kubernetes/cmd/kube-apiserver',
    version,
    pinnedBy: apiServerFolder,
    title: 'Building kube-apiserver with Go',
    expected: 'about 10 minutes, once on this machine',
    remedy: 'Install Go, so that it is on PATH, and run the command again.',
  });
}

async function installEtcd() {
  if (canUseApt()) {
    await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', async () => {
      if (onPath('etcd') === undefined) await aptInstall(['etcd-server'], 'etcd');
    });
  }
  const etcd = onPath('etcd');
  if (etcd !== undefined) return etcd;
  throw new SetupError('etcd is not installed. Install it so that it is on PATH, and run the command again.');
}
