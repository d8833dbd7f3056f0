import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig as readContainerConfig } from '../../container/config.ts';
import { searchAttributeTypes } from '../../contract/search-attributes.ts';
import { readConfig as readWorkerConfig } from '../../worker/config.ts';
import { projectRoot, textOf } from '../support/project-files.ts';
import { imageEnvironment, type Role, roleOf, transcriberImage, workerConfigOf } from './processes.ts';

interface Service {
  image: string;
  build?: unknown;
  mem_limit?: string;
  pids_limit?: number;
  command?: string[];
  hostname?: string;
  environment?: Record<string, string | null>;
  volumes?: string[];
  tmpfs?: string[];
  secrets?: string[];
  ports?: string[];
  stop_grace_period?: string;
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { disable?: boolean; test?: string[] };
}

interface Compose {
  services: Record<string, Service>;
  secrets: Record<string, unknown>;
  volumes: Record<string, unknown>;
}

const compose = parse(textOf('compose.yaml'), { merge: true }) as Compose;
const temporal = serviceOf('temporal');
const ours = Object.entries(compose.services).flatMap(([name, service]) => {
  const role = roleOf({ image: service.image, args: service.command });
  return role === undefined ? [] : [{ name, service, role, environment: environmentOf(service) }];
});

function serviceOf(name: string): Service {
  const service = compose.services[name];
  if (service === undefined) throw new Error(`compose.yaml has no service ${name}`);
  return service;
}

/** Variables with a value; the others come from the shell. */
function environmentOf({ environment = {} }: Service): Record<string, string> {
  const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== null);
  return { ...imageEnvironment(), ...Object.fromEntries(given) };
}

/** Port at which a service of the image listens. MEDIA_ROOT does not exist here. */
function portOf(role: Role, environment: Record<string, string>): number | undefined {
  return role.listener({ ...environment, MEDIA_ROOT: '' }).port;
}

test('compose.yaml has two containers, a worker and a server', () => {
  expect(ours.map(({ name }) => name)).toEqual(['container-1', 'container-2', 'worker', 'server']);
});

test.each(Object.entries(compose.services))('%s is confined, and is published on loopback alone', (_, service) => {
  expect(service).toMatchObject({
    read_only: true,
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
    restart: 'unless-stopped',
  });
  for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
});

test.each(ours)('$name listens at the port that is published, and can write to /scratch', (one) => {
  const { role, service, environment } = one;
  const published = (service.ports ?? []).map((port) => Number(port.split(':').at(-1)));
  // Only Prometheus and the health check ask the worker.
  expect(published).toEqual(service.command?.[0] === 'worker' ? [] : [portOf(role, environment)]);
  expect(role.listener({ ...environment, MEDIA_ROOT: '' }).host).toBe('0.0.0.0');
  const writable = [...(service.tmpfs ?? []), ...(service.volumes ?? []).map((volume) => volume.split(':').at(-1))];
  expect(writable).toContain('/scratch');
});

test('no two services publish the same port of this machine', () => {
  const ports = Object.values(compose.services).flatMap((service) =>
    (service.ports ?? []).map((port) => port.split(':')[1]),
  );
  expect(new Set(ports).size).toBe(ports.length);
});

test('the worker reaches both containers, and all processes reach Temporal', () => {
  const urls = workerConfigOf(environmentOf(serviceOf('worker'))).containerUrls.map((url) => new URL(url));
  const containers = ours.filter(({ service }) => service.command === undefined);
  expect(urls.map(({ hostname, port }) => ({ hostname, port: Number(port) }))).toEqual(
    containers.map(({ name, role, environment }) => ({ hostname: name, port: portOf(role, environment) })),
  );
  const frontend = temporal.ports?.find((port) => port.endsWith(':7233'));
  expect(frontend).toBeDefined();
  for (const name of ['worker', 'server'])
    expect(environmentOf(serviceOf(name))['TEMPORAL_ADDRESS']).toBe('temporal:7233');
  expect(temporal.command).toContain('--ip=0.0.0.0');
});

test('the worker’s local provider is the transcriber’s image, which publishes no port, and both have its models', () => {
  const transcriber = serviceOf('transcriber');
  const environment = environmentOf(serviceOf('worker'));
  expect(environment['LOCAL_PROVIDER_URL']).toBe(`http://transcriber:${transcriberImage().port}`);
  expect(transcriber).toMatchObject({
    build: { context: '.', target: 'transcriber' },
    mem_limit: '${TRANSCRIBER_MEMORY:-2g}',
  });
  expect(transcriber.ports).toBeUndefined();
  const models = '${LOCAL_MODELS_PATH:-models}:/models:ro';
  expect(transcriber.volumes).toEqual([models]);
  expect(serviceOf('worker').volumes).toContain(models);
  expect(environment['LOCAL_MODELS_PATH']).toBe('/models');
});

test('containers, worker and server share the media, and each container has its own scratch', () => {
  for (const { service, environment } of ours) {
    expect(environment['MEDIA_ROOT']).toBe('/media');
    expect(service.volumes).toContain('${MEDIA_DIR:-media}:/media');
  }
  const scratch = ours.flatMap(({ service }) => service.volumes?.filter((volume) => volume.endsWith(':/scratch')));
  expect(new Set(scratch).size).toBe(2);
  const named = Object.values(compose.services).flatMap((service) =>
    (service.volumes ?? []).map((volume) => volume.replace(/\$\{\w+:-(\w+)\}/, '$1').split(':')[0]),
  );
  expect(new Set(named.filter((name) => name?.startsWith('./') !== true))).toEqual(
    new Set(Object.keys(compose.volumes)),
  );
});

test('services wait for healthy ones, whose image or entry has a check', () => {
  for (const service of Object.values(compose.services)) {
    for (const [name, { condition }] of Object.entries(service.depends_on ?? {})) {
      expect({ name, condition }).toEqual({ name, condition: 'service_healthy' });
      expect(serviceOf(name).healthcheck?.disable).not.toBe(true);
    }
  }
  // The CLI's own command for probes.
  expect(temporal.healthcheck?.test).toEqual(['CMD', 'temporal', 'operator', 'cluster', 'health']);
  expect(Object.keys(serviceOf('worker').depends_on ?? {})).toEqual(['temporal', 'container-1', 'container-2']);
  expect(Object.keys(serviceOf('server').depends_on ?? {})).toEqual(['temporal']);
});

test('each container has a limit of memory and of processes, which ffmpeg shares', () => {
  const limits = ours
    .filter(({ service }) => service.command === undefined)
    .map(({ service: { mem_limit, pids_limit } }) => ({ mem_limit, pids_limit }));
  expect(limits).toEqual(Array.from({ length: 2 }, () => ({ mem_limit: '${CONTAINER_MEMORY:-2g}', pids_limit: 512 })));
});

test('containers and worker share one token, and links of the server outlive it if the shell has a key', () => {
  const given = (name: string): string[] =>
    ours.filter(({ service }) => service.environment?.[name] === null).map((one) => one.name);
  expect(given('CONTAINER_TOKEN')).toEqual(['container-1', 'container-2', 'worker']);
  expect(given('SERVER_LINK_KEY')).toEqual(['server']);
});

test('the server reads its users from the secret that it is given', () => {
  const { secrets = [], environment } = serviceOf('server');
  expect(secrets.map((name) => `/run/secrets/${name}`)).toEqual([environment?.['SERVER_TOKENS_FILE']]);
});

test('a secret is given to the services that read it, and no other secret exists', () => {
  const given = Object.values(compose.services).flatMap(({ secrets = [] }) => secrets);
  expect(given.toSorted()).toEqual(Object.keys(compose.secrets).toSorted());
});

test('all images are built from the Dockerfile, as the variant that VARIANT names', () => {
  for (const { service } of ours) expect(service.build).toEqual({ context: '.', target: '${VARIANT:-image}' });
});

test('Temporal keeps its runs in its volume', () => {
  const [, file] = /--db-filename=(\S+)/.exec(temporal.command?.join(' ') ?? '') ?? [];
  const folders = (temporal.volumes ?? []).map((volume) => `${volume.split(':')[1]}/`);
  expect(folders.filter((folder) => file?.startsWith(folder) === true)).toHaveLength(1);
});

test('the page links to the address at which Temporal’s Web UI is published', () => {
  const { TEMPORAL_UI_URL: url = '' } = environmentOf(serviceOf('server'));
  expect(temporal.ports).toContain(`127.0.0.1:${new URL(url).port}:8233`);
});

describe('the profile `monitoring`', () => {
  const prometheus = serviceOf('prometheus');
  const grafana = serviceOf('grafana');
  const mountedIn = (service: Service): string[][] =>
    (service.volumes ?? []).filter((volume) => volume.startsWith('./')).map((volume) => volume.split(':'));

  test('mounts files that exist, for reading alone', () => {
    for (const [path = '', , mode] of [...mountedIn(prometheus), ...mountedIn(grafana)]) {
      expect({ path, exists: existsSync(join(projectRoot, path)), mode }).toEqual({ path, exists: true, mode: 'ro' });
    }
  });

  test('scrapes each process at its port and path, as the job that the rules name', () => {
    const folder = 'deploy/observability/compose';
    const config = parse(textOf(`${folder}/prometheus.yml`)) as {
      global: { scrape_interval: string; evaluation_interval: string };
      rule_files: string[];
      scrape_configs: {
        job_name: string;
        metrics_path?: string;
        authorization?: { credentials_file: string };
        static_configs: { targets: string[] }[];
      }[];
    };
    const scraped = config.scrape_configs.flatMap(({ job_name: job, metrics_path: path = '/metrics', ...scrape }) =>
      scrape.static_configs.flatMap(({ targets }) => targets.map((target) => ({ job, path, target }))),
    );
    const expected = ours.map(({ name, service, role, environment }) => ({
      job: `holdfast-${service.command?.[0] ?? 'container'}`,
      path: expect.toSatisfy((path: string) => role.paths.has(path)),
      target: `${name}:${portOf(role, environment)}`,
    }));
    expect(scraped).toEqual(expected);
    // The shortest windows of the rules need several samples in 5 minutes.
    expect(config.global).toEqual({ scrape_interval: '15s', evaluation_interval: '15s' });
    const files = config.scrape_configs.flatMap(({ authorization }) => authorization?.credentials_file ?? []);
    expect(files).toEqual(prometheus.secrets?.map((name) => `/run/secrets/${name}`));
    const mounted = mountedIn(prometheus).map(([, path]) => path);
    expect(mounted).toEqual(['/etc/prometheus/prometheus.yml', ...config.rule_files]);
    const sources = parse(textOf(`${folder}/grafana/datasources/prometheus.yml`)) as {
      datasources: { url: string }[];
    };
    expect(sources.datasources[0]?.url).toBe(`http://prometheus:${prometheus.ports?.[0]?.split(':').at(-1)}`);
  });

  test('shows the dashboard first', () => {
    const { GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: home = '' } = environmentOf(grafana);
    const providers = parse(textOf('deploy/observability/compose/grafana/dashboards/holdfast.yml')) as {
      providers: { options: { path: string } }[];
    };
    expect(dirname(home)).toBe(providers.providers[0]?.options.path);
    expect(mountedIn(grafana).map(([path, target]) => [path, target])).toContainEqual([
      './deploy/observability/dashboard.json',
      home,
    ]);
  });
});

test('a service that stops has time to end its work', () => {
  const { drainTimeoutSeconds } = readContainerConfig({});
  const containers = ours.filter(({ service }) => service.command === undefined);
  for (const { service } of containers) expect(secondsOf(service)).toBeGreaterThanOrEqual(drainTimeoutSeconds + 10);
  expect(secondsOf(serviceOf('worker'))).toBeGreaterThanOrEqual(readWorkerConfig({}).drainSeconds + 30);
});

function secondsOf({ stop_grace_period: period = '' }: Service): number {
  return Number(/^(\d+)s$/.exec(period)?.[1]);
}

test('every variable is a setting in the documents', () => {
  const documents = `${textOf('docs/reference/settings.md')}${textOf('docs/server.md')}`;
  const settings = new Set(documents.match(/\b[A-Z][A-Z0-9_]+\b/g));
  const used = ours.flatMap(({ service }) => Object.keys(service.environment ?? {}));
  expect(used.length).toBeGreaterThan(20);
  expect(used.filter((name) => !settings.has(name))).toEqual([]);
});

test('Temporal has the version of `npm start`, the search attributes, and ordered queues', () => {
  const [, version] = /^const version = 'v(.+)';$/m.exec(textOf('scripts/setup/temporal-cli.mjs')) ?? [];
  expect(temporal.image).toBe(`temporalio/temporal:${version}`);
  const attributes = Object.entries(searchAttributeTypes).map(([name, type]) => `--search-attribute=${name}=${type}`);
  expect(temporal.command).toEqual(
    expect.arrayContaining([
      ...attributes,
      '--dynamic-config-value=matching.numTaskqueueReadPartitions=1',
      '--dynamic-config-value=matching.numTaskqueueWritePartitions=1',
      '--dynamic-config-value=matching.useNewMatcher=true',
    ]),
  );
});

test('the worker relays with compose.relay.yaml, and both containers may reach its relay', () => {
  const { services } = parse(textOf('compose.relay.yaml'), { merge: true }) as Pick<Compose, 'services'>;
  const { worker, ...containers } = services;
  const { relay } = workerConfigOf({
    ...environmentOf(serviceOf('worker')),
    ...environmentOf(worker ?? { image: '' }),
  });
  expect(relay).toMatchObject({ address: 'http://worker:8090', port: 8090 });
  expect(Object.keys(containers)).toEqual(['container-1', 'container-2']);
  for (const { environment, volumes } of Object.values(containers)) {
    expect(environment).toEqual({ ALLOW_PRIVATE_ADDRESSES: 'worker:8090,${ALLOW_PRIVATE_ADDRESSES:-}' });
    // The logins are in no container.
    expect(volumes).toBeUndefined();
  }
  const [, folder = ''] = worker?.volumes?.[0]?.split(':') ?? [];
  expect(worker?.environment?.['STORE_LOGINS_FILE']).toBe(`${folder}/logins.json`);
});
