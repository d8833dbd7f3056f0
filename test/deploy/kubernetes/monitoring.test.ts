import { expect, test } from 'vitest';
import { prometheusRule } from '../../../deploy/observability/rules.ts';
import { textOf } from '../../support/project-files.ts';
import { useFolder } from '../../support/folder.ts';
import { toolPath } from '../../support/tools.ts';
import { roleOf } from '../processes.ts';
import { Cluster, isSelected, namespace, portOf, type Selector } from './cluster.ts';
import { buildVariants, type Resource } from './variants.ts';

// What Prometheus' operator scrapes, and how people reach the server.

interface PodMonitor extends Resource {
  spec: {
    selector: Selector;
    podMetricsEndpoints: {
      port: string;
      path: string;
      authorization?: object;
      relabelings: { targetLabel: string; replacement: string }[];
    }[];
  };
}

interface HttpRoute extends Resource {
  spec: {
    hostnames: string[];
    parentRefs: { namespace: string; sectionName: string }[];
    rules: { backendRefs: { name: string; port: number }[]; timeouts: { request: string; backendRequest: string } }[];
  };
}

interface Ingress extends Resource {
  metadata: { name: string; annotations: Record<string, string> };
  spec: {
    tls: { hosts: string[] }[];
    rules: {
      host: string;
      http: { paths: { path: string; backend: { service: { name: string; port: { name: string } } } }[] };
    }[];
  };
}

const kustomize = await toolPath('KUSTOMIZE_PATH');
// The real path, because kustomize computes relative paths from it.
const variants = await buildVariants(kustomize, useFolder());

function clusterOf(name: string): Cluster {
  const variant = variants.find((one) => one.name === name);
  if (variant === undefined) throw new Error(`no variant is called ${name}`);
  return new Cluster(variant);
}

test('Prometheus scrapes each process once, at a path that it answers, as the job that the rules name', () => {
  const cluster = clusterOf('components/monitoring');
  const scraped = cluster.ofKind<PodMonitor>('PodMonitor').flatMap(({ spec }) =>
    spec.podMetricsEndpoints.flatMap(({ port, path, authorization, relabelings }) =>
      cluster.pods
        .filter(({ labels }) => isSelected(spec.selector, labels))
        .flatMap(({ name, spec: { containers } }) => {
          const container = containers.find((one) => portOf(one, port) !== undefined);
          const isAnswered = container !== undefined && roleOf(container)?.paths.has(path) === true;
          return [{ pod: name, role: container?.args?.[0], isAnswered, authorization, relabelings }];
        }),
    ),
  );
  const expected = [
    ['encoder', 'container'],
    ['encoder', 'worker'],
    ['server', 'server'],
    ['workflows', 'worker'],
  ].map(([pod, role]) => ({
    pod,
    role,
    isAnswered: true,
    authorization: role === 'server' ? { credentials: { name: 'holdfast-metrics', key: 'token' } } : undefined,
    relabelings: [{ targetLabel: 'job', replacement: `holdfast-${role}` }],
  }));
  expect(scraped).toEqual(expected);
});

test('the rules of Prometheus’ operator are those of alerts.yml', () => {
  const [rule, ...others] = clusterOf('components/monitoring').ofKind('PrometheusRule');
  expect(others).toEqual([]);
  expect(rule).toEqual({ ...prometheusRule(), metadata: { name: 'holdfast', namespace } });
});

test('a route of the Gateway and an Ingress lead to the server under its public address, without limits of time', () => {
  const gateway = clusterOf('components/gateway');
  const [route] = gateway.ofKind<HttpRoute>('HTTPRoute');
  expect(route?.spec).toMatchObject({
    parentRefs: [{ namespace: 'ingress', sectionName: 'https' }],
    rules: [{ timeouts: { request: '0s', backendRequest: '0s' } }],
  });
  const [backend] = route?.spec.rules[0]?.backendRefs ?? [];
  expect(rolesAt(gateway, backend?.name, backend?.port)).toEqual(['server']);

  const cluster = clusterOf('components/ingress');
  const [ingress] = cluster.ofKind<Ingress>('Ingress');
  const [{ host, http } = { host: '', http: { paths: [] } }] = ingress?.spec.rules ?? [];
  const [{ path, backend: { service } } = { path: '', backend: { service: undefined } }] = http.paths;
  expect(path).toBe('/');
  const port = cluster.services
    .find(({ metadata }) => metadata.name === service?.name)
    ?.spec.ports.find(({ name }) => name === service?.port.name)?.port;
  expect(rolesAt(cluster, service?.name, port)).toEqual(['server']);
  expect(ingress?.spec.tls[0]?.hosts).toEqual([host]);
  const off = ['proxy-body-size', 'proxy-buffering', 'proxy-request-buffering'];
  expect(off.map((name) => ingress?.metadata.annotations[`nginx.ingress.kubernetes.io/${name}`])).toEqual([
    '0',
    'off',
    'off',
  ]);
  for (const name of ['proxy-read-timeout', 'proxy-send-timeout']) {
    // An event stream has a line every 10 s.
    const seconds = Number(ingress?.metadata.annotations[`nginx.ingress.kubernetes.io/${name}`]);
    expect({ name, isLong: seconds >= 60 }).toEqual({ name, isLong: true });
  }
  for (const [one, name] of [[gateway, route?.spec.hostnames[0]] as const, [cluster, host] as const]) {
    const [container] = one.pod('server').spec.containers;
    expect(container?.env).toContainEqual({ name: 'SERVER_PUBLIC_URL', value: `https://${name}` });
  }
  expect(textOf('docs/kubernetes.md')).toContain(`\`${host}\``);
});

function rolesAt(cluster: Cluster, name = '', port = 0): (string | undefined)[] | undefined {
  return cluster.containersAt(`${name}.${namespace}.svc`, port)?.map(({ container }) => container.args?.[0]);
}
