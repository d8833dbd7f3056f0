import { readConfig as readContainerConfig } from '../../container/config.ts';
import { endpoints } from '../../container/http/endpoints.ts';
import { serverOpenApi } from '../../server/http/openapi.ts';
import { views } from '../../server/http/page-routes.ts';
import { readConfig as readServerConfig } from '../../server/config.ts';
import { readConfig as readWorkerConfig } from '../../worker/config.ts';
import { servicePaths } from '../../worker/service.ts';
import { textOf } from '../support/project-files.ts';

interface Listener {
  host: string;
  port: number | undefined;
  /** Undefined if the process does not relay. */
  relayPort?: number | undefined;
}

export interface Role {
  /** Address at which the process listens by its own settings. */
  listener(environment: Record<string, string>): Listener;
  /** Paths that answer GET. */
  paths: ReadonlySet<string>;
}

/** Roles of the image that listen, by the first argument of its entry point. */
const roles: Record<string, Role> = {
  container: {
    listener: (environment) => readContainerConfig(environment),
    paths: new Set(endpoints.flatMap((endpoint) => (endpoint.startsWith('GET ') ? [endpoint.slice(4)] : []))),
  },
  worker: {
    listener(environment) {
      const { metricsPort, relay } = workerConfigOf(environment);
      return { host: '0.0.0.0', port: metricsPort, relayPort: relay?.port };
    },
    paths: new Set(servicePaths),
  },
  server: {
    // The file of tokens and the key of links are secrets, which do not exist here.
    listener: (environment) => readServerConfig({ ...environment, SERVER_TOKENS_FILE: '', SERVER_LINK_KEY: '' }),
    paths: new Set([
      ...views,
      ...Object.entries<object>(serverOpenApi('').paths).flatMap(([path, item]) => ('get' in item ? [path] : [])),
    ]),
  },
};

/** The file of logins is a secret, and the folders are volumes, which do not exist here. */
export function workerConfigOf(environment: Record<string, string>) {
  return readWorkerConfig({ ...environment, STORE_LOGINS_FILE: '', MEDIA_ROOT: '', LOCAL_MODELS_PATH: '' });
}

/** Role of a container by its image and arguments; undefined for other images. */
export function roleOf({ image, args }: { image: string; args?: readonly string[] | undefined }): Role | undefined {
  const [role = 'container'] = args ?? [];
  return /(?:^|\/)holdfast:/.test(image) ? roles[role] : undefined;
}

/** Variables that the image sets itself, except paths of its own files. */
export function imageEnvironment(): Record<string, string> {
  const [, text = ''] = /^ENV (NODE_ENV=(?:.*\\\n)*.*)$/m.exec(textOf('Dockerfile')) ?? [];
  const pairs = [...text.matchAll(/(\w+)=(\S+)/g)].map(([, name = '', value = '']) => [name, value] as const);
  return Object.fromEntries(pairs.filter(([, value]) => !value.startsWith('/')));
}

/** Port and health check of the image that the Dockerfile's stage `transcriber` makes. */
export function transcriberImage(): { port: number; healthPath: string } {
  const [, stage = ''] = /^FROM \S+ AS transcriber\n((?:(?!FROM ).*\n)*)/m.exec(textOf('Dockerfile')) ?? [];
  const [, port] = /^ENTRYPOINT .*"--port", "(\d+)"/m.exec(stage) ?? [];
  const [, checked, healthPath = ''] = /urlopen\('http:\/\/127\.0\.0\.1:(\d+)(\/\w+)'/.exec(stage) ?? [];
  const [, exposed] = /^EXPOSE (\d+)$/m.exec(stage) ?? [];
  if (port === undefined || port !== checked || port !== exposed) throw new Error('the ports of the stage differ');
  return { port: Number(port), healthPath };
}
