import { isLoopbackHost } from '../../network/loopback.ts';
import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { connectToStack } from './connect.ts';
import { openLocalStack } from './local-stack.ts';
import { becomeOwner, attachToOwner, type Attachment, type StackFacts } from './owner.ts';
import { parseAddress } from './ports.ts';
import { findRunningParts } from './running-parts.ts';
import type { OpenStackOptions, RunningParts, Stack } from './stack.ts';
import { findWebUi } from './web-ui.ts';

/** Uses running parts and starts the missing ones (docs/reference/settings.md). */
export async function openStack(options: OpenStackOptions): Promise<Stack> {
  const { settings, command, signal, say } = options;
  const onSlow = () => say(`Waiting for the command that starts or stops the stack in ${settings.stateFolder} …`);
  for (;;) {
    const attachment = await attachToOwner(settings.stateFolder, command, { signal, onSlow });
    if (attachment !== undefined && findConflicts(attachment.facts, settings).length === 0)
      return await openAttached(attachment, settings);
    attachment?.detach();

    const running = await findRunningParts(settings);
    if (running.missing.length === 0) return await openExternal(running, options);
    if (attachment !== undefined) throw conflictError(attachment.facts, settings);
    const owner = await becomeOwner(settings.stateFolder);
    // Undefined means that another command has just become the owner; this command attaches to it.
    if (owner !== undefined) {
      const missing = options.withServer === true ? [...running.missing, 'server' as const] : running.missing;
      return await openLocalStack({ ...options, running: { ...running, missing }, owner });
    }
    await running.connection?.close();
  }
}

/** Says which settings of Temporal differ from those of the running stack. */
export function findTemporalConflicts(facts: StackFacts, { temporal, taskQueue }: Settings): string[] {
  return describeConflicts([
    {
      name: 'TEMPORAL_ADDRESS',
      isGiven: temporal.isGiven && placeOf(temporal.address) !== placeOf(facts.temporalAddress),
      has: facts.temporalAddress,
      asks: temporal.address,
    },
    { name: 'TEMPORAL_NAMESPACE', isGiven: temporal.isNamespaceGiven, has: facts.namespace, asks: temporal.namespace },
    { name: 'TEMPORAL_TASK_QUEUE', isGiven: true, has: facts.taskQueue, asks: taskQueue },
  ]);
}

/** All names of this machine are one place: `localhost` is 127.0.0.1. */
function placeOf(address: string): string {
  const { host, port } = parseAddress(address, 7233);
  return `${isLoopbackHost(host) ? 'localhost' : host}:${port}`;
}

/** Says which settings name other parts than the running stack has. */
export function findConflicts(facts: StackFacts, settings: Settings): string[] {
  const { isGiven, urls } = settings.containers;
  const [has, asks] = [facts.containerUrls, urls].map((all) => all.toSorted().join(',')) as [string, string];
  return [
    ...findTemporalConflicts(facts, settings),
    ...describeConflicts([{ name: 'CONTAINER_URLS', isGiven, has, asks }]),
  ];
}

interface ComparedSetting {
  name: string;
  /** False for a default, which the stack may replace. */
  isGiven: boolean;
  has: string;
  asks: string;
}

function describeConflicts(settings: ComparedSetting[]): string[] {
  return settings
    .filter(({ isGiven, has, asks }) => isGiven && has !== asks)
    .map(({ name, has, asks }) => `${name} is "${asks}" here and "${has}" there`);
}

function conflictError(facts: StackFacts, settings: Settings): CliError {
  return new CliError(
    `\`npx holdfast ${facts.command}\` (process ${facts.pid}) already runs a stack in ${settings.stateFolder}, but this command has other settings: ` +
      `${findConflicts(facts, settings).join('; ')}. Stop the other command, unset these variables, or set HOLDFAST_HOME to another folder.`,
  );
}

async function openAttached(attachment: Attachment, settings: Settings): Promise<Stack> {
  const { facts } = attachment;
  const connection = await connectToStack(settings, facts);
  const broken = attachment.ownerEnded.then(() => {
    throw new CliError(
      `The command that ran the local stack (\`npx holdfast ${facts.command}\`, process ${facts.pid}) has ended, so this run has no worker. ` +
        'The run stays in Temporal and continues at the next `npx holdfast start`.',
    );
  });
  // The owner may end before anyone awaits the promise, which must not be an unhandled rejection.
  broken.catch(() => undefined);
  return {
    facts,
    connection,
    kind: 'attached',
    started: [],
    broken,
    async close() {
      await connection.close();
      attachment.detach();
    },
    kill: () => attachment.detach(),
  };
}

async function openExternal({ connection }: RunningParts, { settings, command }: OpenStackOptions): Promise<Stack> {
  if (connection === undefined) throw new Error('nothing is missing, yet there is no connection');
  const { temporal, containers, taskQueue, mediaRoot } = settings;
  return {
    facts: {
      pid: process.pid,
      command,
      temporalAddress: temporal.address,
      namespace: temporal.namespace,
      taskQueue,
      uiUrl: await findWebUi(settings),
      containerUrls: containers.urls,
      mediaRoot,
    },
    connection,
    kind: 'external',
    started: [],
    broken: new Promise(() => undefined),
    close: async () => await connection.close(),
    kill: () => undefined,
  };
}
