import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { connectTo } from './connect.ts';
import { openLocalStack } from './local-stack.ts';
import { becomeOwner, attachToOwner, type Attachment, type StackFacts } from './owner.ts';
import { findRunningParts } from './running-parts.ts';
import type { OpenStackOptions, RunningParts, Stack } from './stack.ts';
import { findWebUi } from './web-ui.ts';

/** Uses running parts and starts the missing ones (docs/reference/settings.md). */
export async function openStack(options: OpenStackOptions): Promise<Stack> {
  const { settings, command } = options;
  for (;;) {
    const attachment = await attachToOwner(settings.stateFolder, command);
    if (attachment !== undefined && matchesSettings(attachment.facts, settings))
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

export function matchesSettings(facts: StackFacts, { temporal, taskQueue }: Settings): boolean {
  return (
    (!temporal.isGiven || temporal.address === facts.temporalAddress) &&
    (!temporal.isNamespaceGiven || temporal.namespace === facts.namespace) &&
    taskQueue === facts.taskQueue
  );
}

function conflictError(facts: StackFacts, { stateFolder, temporal, taskQueue }: Settings): CliError {
  return new CliError(
    `\`npm run ${facts.command}\` (process ${facts.pid}) already runs a stack in ${stateFolder}, with Temporal at ${facts.temporalAddress}, ` +
      `the namespace "${facts.namespace}" and the task queue "${facts.taskQueue}", but this command is set to ${temporal.address}, ` +
      `"${temporal.namespace}" and "${taskQueue}". Stop the other command, unset TEMPORAL_ADDRESS, TEMPORAL_NAMESPACE and ` +
      'TEMPORAL_TASK_QUEUE, or set HOLDFAST_HOME to another folder.',
  );
}

async function openAttached(attachment: Attachment, settings: Settings): Promise<Stack> {
  const { facts } = attachment;
  const connection = await connectTo(settings, facts.temporalAddress);
  const broken = attachment.ownerEnded.then(() => {
    throw new CliError(
      `The command that ran the local stack (\`npm run ${facts.command}\`, process ${facts.pid}) has ended, so this run has no worker. ` +
        'The run stays in Temporal and continues at the next `npm start`.',
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
