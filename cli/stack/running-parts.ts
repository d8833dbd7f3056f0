import type { Connection } from '@temporalio/client';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { assertNamespaceOf, connectTo } from './connect.ts';
import { isHealthy } from './container-health.ts';
import { hasWorkers } from './pollers.ts';
import { isLoopbackHost } from '../../network/loopback.ts';
import { isOpen, parseAddress } from './ports.ts';
import type { StackPart, RunningParts } from './stack.ts';

export async function findRunningParts(settings: Settings): Promise<RunningParts> {
  const [connection, silentContainerUrls] = await Promise.all([
    findTemporal(settings),
    findSilentContainers(settings.containers.urls),
  ]);
  const container: StackPart[] = silentContainerUrls.length > 0 ? ['container'] : [];
  if (connection === undefined) {
    return { missing: ['temporal', ...container, 'worker'], connection, silentContainerUrls };
  }
  const { address, namespace } = settings.temporal;
  await assertNamespaceOf(settings, connection);
  if (!(await hasWorkers(connection, namespace, settings.taskQueue))) {
    return { missing: [...container, 'worker'], connection, silentContainerUrls };
  }
  // Workers on another machine have containers of their own.
  const isHere = isLoopbackHost(parseAddress(address, 7233).host);
  return { missing: isHere ? container : [], connection, silentContainerUrls };
}

/** Undefined if none answers and one can be started on this machine. */
export async function findTemporal(settings: Settings): Promise<Connection | undefined> {
  const { address, isGiven } = settings.temporal;
  const place = parseAddress(address, 7233);
  if (!(await isOpen(place))) {
    if (isLoopbackHost(place.host)) return undefined;
    throw new CliError(
      `Nothing answers at TEMPORAL_ADDRESS ${address}. Start the Temporal server there, or unset the variable to use one on this machine.`,
    );
  }
  try {
    return await connectTo(settings, address);
  } catch (error) {
    if (!isGiven) return undefined;
    throw new CliError(
      `TEMPORAL_ADDRESS ${address} is not a Temporal server, or needs TLS (TEMPORAL_TLS), a key or a certificate: ${(error as Error).message}`,
    );
  }
}

async function findSilentContainers(containerUrls: readonly string[]): Promise<string[]> {
  const answers = await Promise.all(containerUrls.map((url) => isHealthy(url)));
  return containerUrls.filter((_, index) => answers[index] !== true);
}
