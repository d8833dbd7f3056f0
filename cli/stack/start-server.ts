import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import type { Launch, LocalProcess } from './local-process.ts';
import type { StackFacts } from './owner.ts';
import { freePort } from './ports.ts';

/** Starts the server, which connects to Temporal at its first request. */
export async function startServer(
  launch: Launch,
  { server, inheritedEnvironment }: Settings,
  facts: StackFacts,
  say: (sentence: string) => void,
): Promise<{ process: LocalProcess; url: string }> {
  const port = await freePort(server.port);
  if (port !== server.port) {
    if (server.isGiven) {
      throw new CliError(
        `SERVER_PORT ${server.port} is taken by another program. Stop it, or set SERVER_PORT to another port.`,
      );
    }
    say(`Port ${server.port} is taken by another program; the server listens on ${port} instead.`);
  }
  const child = launch({
    name: 'the server',
    logName: 'server',
    command: process.execPath,
    args: ['server/main.ts'],
    environment: {
      ...inheritedEnvironment,
      SERVER_PORT: `${port}`,
      SERVER_HOST: '127.0.0.1',
      MEDIA_ROOT: facts.mediaRoot,
      TEMPORAL_ADDRESS: facts.temporalAddress,
      TEMPORAL_NAMESPACE: facts.namespace,
      TEMPORAL_TASK_QUEUE: facts.taskQueue,
      ...(facts.uiUrl !== undefined && { TEMPORAL_UI_URL: facts.uiUrl }),
    },
  });
  return { process: child, url: `http://127.0.0.1:${port}` };
}
