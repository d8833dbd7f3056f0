import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { filesIn, textOf } from '../../support/project-files.ts';

interface Variable {
  name: string;
  value?: string;
  valueFrom?: { secretKeyRef?: { name: string; key: string } };
}

interface PodSpec {
  terminationGracePeriodSeconds?: number;
  automountServiceAccountToken?: boolean;
  securityContext?: object;
  containers: {
    name: string;
    image: string;
    args?: string[];
    env?: Variable[];
    envFrom?: { secretRef?: { name: string } }[];
    securityContext?: object;
    lifecycle?: { preStop?: { sleep?: { seconds: number } } };
    resources?: { limits?: { memory?: string } };
  }[];
}

interface Resource {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: PodSpec } };
}

const folder = 'deploy/kubernetes';
const resources = filesIn(folder, ['.yaml'])
  .filter((path) => !path.endsWith('kustomization.yaml'))
  .flatMap((path) => parseAllDocuments(textOf(path)).map((document) => document.toJS() as Resource));
const pods = resources
  .filter(({ kind }) => kind === 'Deployment')
  .map(({ metadata, spec }) => ({ name: metadata.name, spec: spec.template.spec }));

function pod(name: string): PodSpec {
  const found = pods.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no Deployment ${name}`);
  return found.spec;
}

function variable(name: string, key: string): string | undefined {
  return pod(name)
    .containers.flatMap(({ env }) => env ?? [])
    .find((one) => one.name === key)?.value;
}

test.each(pods)('the pod of $name has no right that it does not need', ({ spec }) => {
  expect(spec).toMatchObject({
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  for (const right of ['hostNetwork', 'hostPID', 'hostIPC']) expect(spec).not.toHaveProperty(right);
  for (const container of spec.containers) {
    expect(container.securityContext).toEqual({
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(container.resources?.limits?.memory).toBeDefined();
  }
});

test('every variable is a setting of ours, and every role is a role of the image', () => {
  const settings = `${textOf('docs/reference/settings.md')}${textOf('docs/server.md')}`;
  const entrypoint = textOf('scripts/image-entrypoint.sh');
  const others = new Set(['temporal', 'transcriber']);
  const ours = pods.filter(({ name }) => !others.has(name)).flatMap(({ spec }) => spec.containers);
  expect(ours.length).toBeGreaterThan(3);
  for (const { env = [], args = [] } of ours) {
    for (const { name } of env) expect(settings).toContain(`\`${name}\``);
    expect(entrypoint).toContain(`  ${args[0]})`);
  }
});

test('a pod that is told to end has time to finish its job', () => {
  const drainSeconds = Number(variable('encoder', 'DRAIN_TIMEOUT_SECONDS'));
  const byDefault = /^\| `JOB_TIMEOUT_SECONDS` +\| ([\d,]+)/m
    .exec(textOf('docs/reference/settings.md'))?.[1]
    ?.replace(',', '');
  expect(drainSeconds).toBe(Number(byDefault));
  expect(pod('encoder').terminationGracePeriodSeconds).toBe(drainSeconds + 60);
  const workerSeconds = Number(variable('workflows', 'WORKER_DRAIN_SECONDS'));
  expect(pod('workflows').terminationGracePeriodSeconds).toBeGreaterThan(workerSeconds + 20);
});

test('a server pod takes requests while the Service still sends them, and ends within its grace period', () => {
  const { terminationGracePeriodSeconds = 0, containers } = pod('server');
  const preStopSeconds = containers[0]?.lifecycle?.preStop?.sleep?.seconds ?? 0;
  expect(preStopSeconds).toBeGreaterThanOrEqual(5);
  const drainMs = Number(/^const drainMs = ([\d_]+);$/m.exec(textOf('server/main.ts'))?.[1]?.replaceAll('_', ''));
  expect(terminationGracePeriodSeconds).toBeGreaterThan(preStopSeconds + drainMs / 1_000);
});

test('all server pods sign links and sessions by one key, which the commands of docs/kubernetes.md create', () => {
  const { secretKeyRef } =
    pod('server').containers[0]?.env?.find(({ name }) => name === 'SERVER_LINK_KEY')?.valueFrom ?? {};
  expect(secretKeyRef?.name).toBe('holdfast-server');
  expect(textOf('docs/kubernetes.md')).toContain(`--from-literal=${secretKeyRef?.key}=`);
});

test('the images have the version of the package, and Temporal has the version and attributes of compose.yaml', () => {
  const { version } = JSON.parse(textOf('package.json')) as { version: string };
  for (const name of ['base', 'components/transcriber'])
    expect(textOf(`${folder}/${name}/kustomization.yaml`)).toContain(`newTag: ${version} `);
  const { services } = parse(textOf('compose.yaml'), { merge: true }) as {
    services: { temporal: { image: string; command: string[] } };
  };
  const { image, command } = services.temporal;
  const [temporal] = pod('temporal').containers;
  expect(temporal?.image).toBe(image);
  // The server of compose.yaml has a volume for its database.
  expect(temporal?.args).toEqual(command.filter((argument) => !argument.startsWith('--db-filename=')));
});

test('each worker has the secrets that its roles read, and docs/kubernetes.md lists every secret', () => {
  const secretsOf = (name: string, container: string): unknown[] =>
    (pod(name).containers.find((one) => one.name === container)?.envFrom ?? []).flatMap(
      ({ secretRef }) => secretRef?.name ?? [],
    );
  expect(secretsOf('encoder', 'worker')).toEqual(['holdfast-encoders', 'holdfast-payloads']);
  expect(secretsOf('workflows', 'worker')).toEqual(['holdfast-workers', 'holdfast-payloads']);
  expect(secretsOf('server', 'server')).toEqual(['holdfast-payloads']);
  const manifests = filesIn(folder, ['.yaml']).map(textOf).join('');
  const named = manifests.matchAll(
    /secret(?:Ref|KeyRef): \{ name: ([a-z0-9-]+)|secretName: ([a-z0-9-]+)|credentials: \{ name: ([a-z0-9-]+)|parameter: token, name: ([a-z0-9-]+)/g,
  );
  const told = textOf('docs/kubernetes.md').matchAll(/^\| `(holdfast[a-z0-9-]*)` +\| .*`/gm);
  expect(new Set([...named].map(([, ...names]) => names.find((name) => name !== undefined)))).toEqual(
    new Set([...told].map(([, name]) => name)),
  );
});

test('docs/kubernetes.md names each key of a secret, and the secrets without which pods start', () => {
  const manifests = filesIn(folder, ['.yaml']).map(textOf).join('');
  const rows = new Map(
    [...textOf('docs/kubernetes.md').matchAll(/^\| `(holdfast[a-z0-9-]*)` +\| (.*) \|$/gm)].map(
      ([, name = '', row = '']) => [name, row.trimEnd()],
    ),
  );
  const keys = [...manifests.matchAll(/name: (holdfast[a-z0-9-]*), key: ([a-z.-]+)/g)];
  expect(keys.filter(([, name = '', key]) => rows.get(name)?.includes(`\`${key}\``) !== true)).toEqual([]);
  const references = [...manifests.matchAll(/secretRef: \{ name: ([a-z0-9-]+)(, optional: true)? \}/g)];
  expect(references.length).toBeGreaterThan(5);
  for (const [, name = '', optional] of references)
    expect({ name, isOptional: optional !== undefined }).toEqual({
      name,
      isOptional: rows.get(name)?.endsWith('; optional'),
    });
});
