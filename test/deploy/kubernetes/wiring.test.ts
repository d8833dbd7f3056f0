import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageFacts from '../../../package.json' with { type: 'json' };
import { ScaleView } from '../../../contract/server/queue.ts';
import { containerTaskQueue } from '../../../contract/task-queues.ts';
import { readTemporalSettings } from '../../../process/temporal-settings.ts';
import { serverOpenApi } from '../../../server/http/openapi.ts';
import { workerRoles } from '../../../worker/roles.ts';
import { textOf } from '../../support/project-files.ts';
import { useFolder } from '../../support/folder.ts';
import { toolPath } from '../../support/tools.ts';
import { imageEnvironment, type Role, roleOf, transcriberImage, workerConfigOf } from '../processes.ts';
import { Cluster, type Container, isSelected, namespace, type Pod, portOf } from './cluster.ts';
import { allowedIn, allowedOut, idlePorts } from './connections.ts';
import { buildVariants } from './variants.ts';

// Reads the manifests as Kubernetes and KEDA do, and compares them with the code of the processes.

const kustomize = await toolPath('KUSTOMIZE_PATH');
// The real path, because kustomize computes relative paths from it.
const clusters = (await buildVariants(kustomize, useFolder())).map((variant) => new Cluster(variant));

interface Process {
  name: string;
  pod: Pod;
  container: Container;
  role: Role;
  environment: Record<string, string>;
}

/** Containers that run a role of the image. */
function processesOf(cluster: Cluster): Process[] {
  return cluster.pods.flatMap((pod) =>
    pod.spec.containers.flatMap((container) => {
      const role = roleOf(container);
      if (role === undefined) return [];
      const environment = { ...imageEnvironment(), ...cluster.environmentOf(container) };
      return [{ name: `${pod.name}/${container.name}`, pod, container, role, environment }];
    }),
  );
}

function temporalOf({ environment }: Process) {
  const { connectionOptions, namespace } = readTemporalSettings(environment);
  return { address: connectionOptions.address ?? '', namespace, queue: environment['TEMPORAL_TASK_QUEUE'] };
}

function placeOf(address: string): { host: string; port: number } {
  const { hostname, port } = new URL(address.includes('://') ? address : `http://${address}`);
  return { host: hostname, port: Number(port) };
}

/** Pods of Services that are named by a task of theirs. */
const podsOfTasks: Record<string, string> = { relay: 'workflows' };

const usesTemporal = ({ container }: Process): boolean => container.args?.[0] !== 'container';

test('the overlays and components are rendered', () => {
  expect(clusters.map(({ name }) => name)).toEqual(
    expect.arrayContaining([
      'base',
      'overlays/local',
      'overlays/production',
      'components/keda',
      'components/relay',
      'components/transcriber',
      'all components',
    ]),
  );
  for (const cluster of clusters) {
    const names = processesOf(cluster).map(({ name }) => name);
    expect(names).toEqual(['encoder/container', 'encoder/worker', 'server/server', 'workflows/worker']);
  }
});

describe.each(clusters)('the manifests of $name', (cluster) => {
  const processes = processesOf(cluster);
  const hasService = (name: string): boolean => cluster.services.some(({ metadata }) => metadata.name === name);
  const hasRelay = hasService('relay');
  const hasTranscriber = hasService('transcriber');

  test('each process listens at the ports that its container declares, on all addresses', () => {
    for (const { name, container, role, environment } of processes) {
      const { host, port, relayPort } = role.listener(environment);
      expect({ name, host, ports: container.ports?.map(({ containerPort }) => containerPort) }).toEqual({
        name,
        host: '0.0.0.0',
        ports: [port, relayPort].filter((one) => one !== undefined),
      });
    }
  });

  test('each process has all probes, at its own port and at paths that it answers', () => {
    for (const { name, container, role } of processes) {
      const ready = role.paths.has('/ready');
      for (const kind of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const { path = '', port = '' } = container[kind]?.httpGet ?? {};
        expect({ name, kind, path, port: portOf(container, port) }).toEqual({
          name,
          kind,
          path: expect.toSatisfy((given: string) => role.paths.has(given)),
          port: container.ports?.[0]?.containerPort,
        });
        // A pod that is not ready must stop receiving work, and must not be killed for it.
        if (kind === 'readinessProbe' && ready) expect({ name, path }).toEqual({ name, path: '/ready' });
        if (kind === 'livenessProbe') expect({ name, path }).not.toEqual({ name, path: '/ready' });
      }
    }
  });

  test('probes of other images name ports that their containers declare', () => {
    for (const container of cluster.pods.flatMap(({ spec }) => spec.containers)) {
      for (const probe of [container.startupProbe, container.livenessProbe, container.readinessProbe]) {
        const { port } = probe?.tcpSocket ?? probe?.httpGet ?? {};
        if (port !== undefined) expect(portOf(container, port), `${container.name}:${port}`).toBeDefined();
      }
    }
  });

  test('each Deployment selects its own pods and no others', () => {
    for (const { metadata, spec } of cluster.deployments) {
      const [name, ...others] = cluster.selected(spec.selector);
      expect({ name: metadata.name, others }).toEqual({ name: expect.stringContaining(name ?? 'no pod'), others: [] });
    }
  });

  test('each Service leads to the pods of its name or its task, at a port of theirs with the same number', () => {
    expect(cluster.services.length).toBeGreaterThan(0);
    for (const { metadata, spec } of cluster.services) {
      for (const { port } of spec.ports) {
        const host = `${metadata.name}.${metadata.namespace}.svc`;
        const found = cluster.containersAt(host, port)?.map((one) => ({ pod: one.pod, port: one.port }));
        expect(found).toEqual([{ pod: podsOfTasks[metadata.name] ?? metadata.name, port }]);
      }
    }
  });

  test('pods that exist more than once are spread over nodes, and evicted one at a time', () => {
    const scaled = new Set(cluster.scaledObjects.map(({ spec }) => spec.scaleTargetRef.name));
    const several = cluster.pods.filter(({ name, replicas = 1 }) => replicas > 1 || scaled.has(name));
    for (const { name, labels, spec } of several) {
      const spreads = (spec.topologySpreadConstraints ?? []).filter(({ labelSelector }) =>
        isSelected(labelSelector, labels),
      );
      expect({ name, keys: spreads.map(({ topologyKey }) => topologyKey) }).toEqual({
        name,
        keys: ['kubernetes.io/hostname'],
      });
      const budgets = cluster.budgets.filter(({ spec: { selector } }) => cluster.selected(selector).includes(name));
      expect({ name, budgets: budgets.length }).toEqual({ name, budgets: 1 });
    }
    for (const { metadata, spec } of cluster.budgets)
      expect({ name: metadata.name, pods: cluster.selected(spec.selector) }).toEqual({
        name: metadata.name,
        pods: [metadata.name],
      });
  });

  test('each volume that a container mounts exists, and one holds the file of tokens', () => {
    for (const { spec } of cluster.pods) {
      const volumes = spec.volumes?.map(({ name }) => name);
      for (const { volumeMounts = [] } of spec.containers)
        for (const { name } of volumeMounts) expect(volumes).toContain(name);
    }
    for (const { name, pod, container, environment } of processes) {
      const paths = container.volumeMounts?.flatMap(({ name: volume, mountPath }) => {
        const items = pod.spec.volumes?.find((one) => one.name === volume)?.secret?.items;
        return items?.map(({ path }) => `${mountPath}/${path}`) ?? [mountPath];
      });
      expect(paths, name).toContain('/scratch');
      const { SERVER_TOKENS_FILE: tokens } = environment;
      if (tokens !== undefined) expect(paths).toContain(tokens);
      const { STORE_LOGINS_FILE: logins } = environment;
      if (logins !== undefined) expect(paths, name).toContain(dirname(logins));
    }
    expect(processes.filter(({ environment }) => environment['SERVER_TOKENS_FILE'] !== undefined)).toHaveLength(1);
  });

  test('all processes share one Temporal, one queue and one token, and their workers serve every role', () => {
    const [first, ...others] = processes.filter(usesTemporal).map(temporalOf);
    for (const other of others) expect(other).toEqual(first);
    const tokens = processes.filter(({ container }) => container.args?.[0] !== 'server');
    expect(new Set(tokens.map(({ environment }) => environment['CONTAINER_TOKEN']))).toEqual(
      new Set(['holdfast/container-token']),
    );
    const workers = processes.filter(({ container }) => container.args?.[0] === 'worker');
    const served = workers.flatMap(({ environment }) => [...workerConfigOf(environment).roles]);
    expect(served.toSorted()).toEqual([...workerRoles].toSorted());
  });

  test('`components/versioning` gives all workers the build of the image, and the workflows a Deployment of their own', () => {
    const builds = processes.map(({ container, environment }) => {
      const { DEPLOYMENT_NAME: name, BUILD_ID: build } = environment;
      return container.args?.[0] === 'worker' && name !== undefined ? `${name}:${build}` : undefined;
    });
    const workflows = cluster.deployments.find(
      ({ spec: { template } }) => template.metadata.labels['app.kubernetes.io/name'] === 'workflows',
    );
    const { build } = workflows?.spec.selector.matchLabels ?? {};
    const { version } = packageFacts;
    const isVersioned = cluster.name === 'components/versioning' || cluster.name === 'all components';
    expect(build).toBe(isVersioned ? version : undefined);
    expect(workflows?.metadata.name).toBe(isVersioned ? `workflows-${version.replaceAll('.', '-')}` : 'workflows');
    const ofWorkers = isVersioned ? `holdfast:${version}` : undefined;
    expect(builds).toEqual([undefined, ofWorkers, undefined, ofWorkers]);
  });

  test('the worker beside a container reaches it by the address of the pod', () => {
    const workers = processes.filter(({ environment }) => environment['WORKER_ROLES'] === 'container');
    expect(workers).toHaveLength(1);
    for (const { pod, environment } of workers) {
      const found = workerConfigOf(environment).containerUrls.map((url) => {
        const { host, port } = placeOf(url);
        return cluster.containersAt(host, port, pod)?.map(({ container }) => container.args?.[0]);
      });
      expect(found).toEqual([['container']]);
    }
  });

  test('the containers may reach one relay, whose URLs all workers can sign and whose logins all workers have', () => {
    const workers = processes.filter(({ container }) => container.args?.[0] === 'worker');
    const relays = workers.flatMap(({ environment }) => workerConfigOf(environment).relay ?? []);
    if (!hasRelay) return expect(relays).toEqual([]);
    const [{ address, key } = { address: '', key: '' }, ...others] = relays;
    expect(others.map((one) => [one.address, one.key])).toEqual([[address, key]]);
    const { host, port } = placeOf(address);
    expect(cluster.containersAt(`${host}.${namespace}.svc`, port)?.map(({ pod }) => pod)).toEqual(['workflows']);
    const relay = workers.find(({ environment }) => environment['RELAY_PORT'] !== undefined);
    const { failureThreshold = 0, periodSeconds = 0 } = relay?.container.readinessProbe ?? {};
    // A relay must outlast the time for which Temporal does not answer.
    expect(failureThreshold * periodSeconds).toBeGreaterThanOrEqual(3_600);
    expect(new Set(workers.map(({ environment }) => environment['STORE_LOGINS_FILE'])).size).toBe(1);
    const container = processes.find((one) => one.container.args?.[0] === 'container');
    expect(container?.environment['ALLOW_PRIVATE_ADDRESSES']).toBe(`${host}:${port}`);
    expect(container?.environment).not.toHaveProperty('STORE_LOGINS_FILE');
    expect(container?.container.volumeMounts?.map(({ name }) => name)).toEqual(['scratch']);
  });

  test('the workers that call providers reach the transcriber, and no other process names it', () => {
    const callers = processes.flatMap(({ name, environment }) => {
      const { LOCAL_PROVIDER_URL: url } = environment;
      return url === undefined ? [] : [{ name, ...placeOf(url) }];
    });
    expect(callers.map(({ name }) => name)).toEqual(hasTranscriber ? ['workflows/worker'] : []);
    for (const { host, port } of callers) {
      const [found] = cluster.containersAt(`${host}.${namespace}.svc`, port) ?? [];
      expect(found?.pod).toBe('transcriber');
      const { args, startupProbe, livenessProbe, readinessProbe } = found?.container ?? {};
      expect(args).toBeUndefined();
      expect(found?.container.ports?.map(({ containerPort }) => containerPort)).toEqual([transcriberImage().port]);
      for (const probe of [startupProbe, livenessProbe, readinessProbe])
        expect(probe?.httpGet?.path).toBe(transcriberImage().healthPath);
    }
  });

  test('the network policies allow exactly the connections that the processes need', () => {
    const [temporal = ''] = processes.filter(usesTemporal).map((process) => temporalOf(process).address);
    const { host, port } = placeOf(temporal);
    const [, namespace, svc] = host.split('.');
    const inside = cluster.containersAt(host, port);
    const outside = svc === 'svc' ? `namespace ${namespace}` : '0.0.0.0/0';
    expect(inside?.length).not.toBe(0);
    const everyPod = cluster.pods.map(({ name }) => name);
    const needed: [from: string, to: string, ports: (string | number)[]][] = [
      ['encoder', 'encoder', ['http']],
      ['workflows', 'encoder', ['http']],
      ['namespace ingress', 'server', ['http']],
      ['namespace keda', 'server', ['http']],
      ['encoder', 'internet', hasRelay ? [443, 80, 22] : [443, 80]],
      ['workflows', 'internet', hasRelay ? [443, 22] : [443]],
      ...(hasRelay ? [['encoder', 'workflows', ['relay']] satisfies [string, string, string[]]] : []),
      ...(hasTranscriber ? [['workflows', 'transcriber', ['http']] satisfies [string, string, string[]]] : []),
      ['server', 'internet', [443]],
      ...everyPod.flatMap((pod): typeof needed => [
        [pod, 'kube-dns namespace any', [53, '53/UDP']],
        [pod, 'namespace monitoring', [4318]],
        [pod, inside?.[0]?.pod ?? outside, [port]],
      ]),
      ...['encoder', 'workflows'].map((pod): (typeof needed)[number] => ['namespace monitoring', pod, ['metrics']]),
      ...['encoder', 'server'].map((pod): (typeof needed)[number] => ['namespace monitoring', pod, ['http']]),
    ];
    for (const pod of cluster.pods) {
      const numbersAt = (name: string, ports: (string | number)[]): (string | number)[] => {
        const containers = everyPod.includes(name) ? cluster.pod(name).spec.containers : [];
        return ports.map((one) => containers.map((container) => portOf(container, one)).find(Boolean) ?? one);
      };
      const out = needed.filter(([from]) => from === pod.name);
      expect(allowedOut(cluster, pod), `out of ${pod.name}`).toEqual(
        new Set(out.flatMap(([, to, ports]) => numbersAt(to, ports).map((number) => `${to}:${number}`))),
      );
      const into = needed.filter(([, to]) => to === pod.name);
      expect(allowedIn(cluster, pod), `into ${pod.name}`).toEqual(
        new Set(into.flatMap(([from, , ports]) => numbersAt(pod.name, ports).map((number) => `${from}:${number}`))),
      );
    }
    expect(idlePorts(cluster)).toEqual([]);
  });

  test('KEDA scales an existing Deployment, which leaves its number of pods to it', () => {
    for (const { spec } of cluster.scaledObjects) {
      expect(cluster.pod(spec.scaleTargetRef.name).replicas).toBeUndefined();
    }
  });

  test('KEDA reads a number that the answer of the server has, with a token', () => {
    for (const { metadata, authenticationRef } of triggersOf('metrics-api')) {
      const url = new URL(metadata['url'] ?? '');
      const found = cluster.containersAt(url.hostname, Number(url.port));
      expect(found?.map(({ container }) => container.args)).toEqual([['server']]);
      const answer = Object.entries(serverOpenApi('').paths).find(([path]) => path === url.pathname)?.[1];
      expect(answer).toHaveProperty(
        ['get', 'responses', '200', 'content', 'application/json', 'schema', '$ref'],
        '#/components/schemas/ScaleView',
      );
      expect(Object.keys(ScaleView.shape)).toContain(metadata['valueLocation']);
      const authentication = cluster.triggerAuthentications.find(
        (one) => one.metadata.name === authenticationRef?.name,
      );
      expect(metadata['authMode']).toBe('bearer');
      expect(authentication?.spec.secretTargetRef.map(({ parameter }) => parameter)).toEqual(['token']);
    }
  });

  test('KEDA asks the workers’ Temporal for the queue of the containers', () => {
    const [temporal] = processes.filter(usesTemporal).map(temporalOf);
    for (const { metadata } of triggersOf('temporal')) {
      expect(metadata).toMatchObject({
        endpoint: temporal?.address,
        namespace: temporal?.namespace,
        taskQueue: containerTaskQueue(temporal?.queue ?? ''),
        queueTypes: 'activity',
      });
    }
  });

  function triggersOf(type: string) {
    return cluster.scaledObjects.flatMap(({ spec }) => spec.triggers.filter((trigger) => trigger.type === type));
  }
});

test('KEDA has both triggers, except with Temporal Cloud, which only the server can ask', () => {
  const types = Object.fromEntries(
    clusters.map(({ name, scaledObjects }) => [
      name,
      scaledObjects.flatMap(({ spec }) => spec.triggers.map(({ type }) => type)),
    ]),
  );
  expect(types).toMatchObject({
    base: [],
    'overlays/production': ['metrics-api', 'temporal'],
    'components/keda': ['metrics-api', 'temporal'],
    'all components': ['metrics-api'],
  });
});

test('docs/kubernetes.md names the image as an overlay of the manifests sees it', () => {
  const [, name = ''] = /`images: \[\{ name: (\S+), /.exec(textOf('docs/kubernetes.md')) ?? [];
  // kustomize compares names without tags, after the base has changed them.
  const cluster = clusters.find((one) => one.name === 'components/keda');
  const images = cluster === undefined ? [] : processesOf(cluster).map(({ container }) => container.image);
  expect([...new Set(images)]).toEqual([`${name}:${packageFacts.version}`]);
});
