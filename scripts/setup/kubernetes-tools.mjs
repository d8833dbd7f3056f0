import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { cachedProgram, goInstall } from './go-install.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, onPath, projectRoot } from './places.mjs';
import { ensurePython } from './python-environment.mjs';
import { SetupError } from './setup-error.mjs';
import { runQuietly } from './step.mjs';

/** Go modules with definitions of custom resources, and the files of their definitions that the manifests use. */
const definitionModules = [
  { module: 'github.com/kedacore/keda/v2@v2.21.0', folder: 'config/crd/bases', wanted: /./ },
  { module: 'sigs.k8s.io/gateway-api@v1.6.3', folder: 'config/crd/standard', wanted: /_httproutes\.yaml$/ },
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    folder: 'example/prometheus-operator-crd',
    wanted: /_(?:podmonitors|prometheusrules)\.yaml$/,
  },
];
const packages = ['kubernetes-validate==1.37.0'];
const apiServerFolder = join(projectRoot, 'scripts/setup/kube-apiserver');

export async function ensureKubernetesValidate() {
  return await ensurePython(packages, { title: 'Installing kubernetes-validate, which checks manifests, from PyPI' });
}

/** Go caches the modules. */
export async function ensureDefinitions() {
  const environment = { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' };
  const paths = [];
  for (const { module, folder, wanted } of definitionModules) {
    const { code, output } = await runQuietly('go', ['mod', 'download', '-json', module], environment, cacheFolder());
    const root = /"Dir": "([^"]+)"/.exec(output)?.[1];
    if (code !== 0 || root === undefined) throw new SetupError(`${module} could not be fetched: ${output.trim()}`);
    const names = readdirSync(join(root, folder)).filter((name) => wanted.test(name));
    paths.push(...names.map((name) => join(root, folder, name)));
  }
  return paths;
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
