import { containerNodeFlags } from '../../contract/defaults.ts';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import type { Launch, LocalProcess } from './local-process.ts';
import { isLoopbackHost } from '../../network/loopback.ts';
import { freePort, isOpen } from './ports.ts';
import type { RunningParts } from './stack.ts';

export interface LocalContainers {
  /** Running containers and containers started here. */
  urls: string[];
  started: { process: LocalProcess; url: string }[];
}

/** Starts a container for each local URL at which none answers. */
export async function startContainers(
  launch: Launch,
  settings: Settings,
  running: RunningParts,
  ownVariables: Record<string, string>,
  say: (sentence: string) => void,
): Promise<LocalContainers> {
  const containers: LocalContainers = { urls: [], started: [] };
  for (const wantedUrl of settings.containers.urls) {
    if (!running.missing.includes('container') || !running.silentContainerUrls.includes(wantedUrl)) {
      containers.urls.push(wantedUrl);
      continue;
    }
    const port = await portFor(wantedUrl, settings, running, say);
    const url = `http://127.0.0.1:${port}`;
    const number = containers.started.length + 1;
    const [name, logName] =
      number === 1 ? ['the container', 'container'] : [`container ${number}`, `container-${number}`];
    const environment = { ...settings.inheritedEnvironment, ...ownVariables, PORT: `${port}`, HOST: '127.0.0.1' };
    const child = launch({
      name,
      logName,
      command: process.execPath,
      args: [...containerNodeFlags, 'container/main.ts'],
      environment,
    });
    containers.started.push({ process: child, url });
    containers.urls.push(url);
  }
  return containers;
}

async function portFor(
  url: string,
  { containers }: Settings,
  { missing }: RunningParts,
  say: (sentence: string) => void,
): Promise<number> {
  const { hostname, port: portText } = new URL(url);
  if (!isLoopbackHost(hostname)) {
    throw new CliError(
      `No container answers at ${url} from CONTAINER_URLS. It cannot be started from here, because the host is not this machine.`,
    );
  }
  const wanted = portText === '' ? 80 : Number(portText);
  if (!(await isOpen({ host: '127.0.0.1', port: wanted }))) return wanted;
  if (containers.isGiven) {
    throw new CliError(
      `Another program listens at ${url}, which CONTAINER_URLS or PORT names. Stop it or choose another port.`,
    );
  }
  if (!missing.includes('worker')) {
    throw new CliError(
      `Port ${wanted} is taken by another program, but the running worker expects its container there. Stop the program or the worker.`,
    );
  }
  const port = await freePort(wanted);
  say(`Port ${wanted} is taken by another program; the container listens on ${port} instead.`);
  return port;
}
