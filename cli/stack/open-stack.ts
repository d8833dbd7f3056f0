import { CliError } from '../cli-error.ts';
import type { Settings } from '../settings.ts';
import { openLocalStack } from './local-stack.ts';
import { becomeOwner, joinOwner, type Neighbour, type StackFacts } from './owner.ts';
import { findRunning } from './running.ts';
import type { OpenStackOptions, Running, Stack } from './stack.ts';
import { findWebUi } from './web-ui.ts';

/** Uses what runs and starts what does not (contract 4). */
export async function openStack(options: OpenStackOptions): Promise<Stack> {
  const { settings, command } = options;
  for (;;) {
    const neighbour = await joinOwner(settings.stateFolder, command);
    if (neighbour !== undefined && isWanted(neighbour.facts, settings)) return await asGuest(neighbour, settings);
    neighbour?.leave();

    const running = await findRunning(settings);
    if (running.missing.length === 0) return await elsewhere(running, options);
    if (neighbour !== undefined) throw conflict(neighbour.facts, settings);
    const owner = await becomeOwner(settings.stateFolder);
    // Undefined: another command was faster in this very moment, and we are its guest.
    if (owner !== undefined) return await openLocalStack({ ...options, running, owner });
    await running.connection?.close();
  }
}

/** Whether it is the stack that the settings mean. */
export function isWanted(facts: StackFacts, { temporal, taskQueue }: Settings): boolean {
  return (!temporal.isGiven || temporal.address === facts.temporalAddress) && taskQueue === facts.taskQueue;
}

function conflict(facts: StackFacts, { stateFolder, temporal, taskQueue }: Settings): CliError {
  return new CliError(
    `\`npm run ${facts.command}\` (process ${facts.pid}) already runs a stack in ${stateFolder}, with Temporal at ${facts.temporalAddress} ` +
      `and the task queue "${facts.taskQueue}", and this command is told to use ${temporal.address} and "${taskQueue}". ` +
      'Stop the other one first, unset TEMPORAL_ADDRESS and TEMPORAL_TASK_QUEUE, or name another folder in HOLDFAST_HOME.',
  );
}

async function asGuest(neighbour: Neighbour, settings: Settings): Promise<Stack> {
  const { facts } = neighbour;
  const { connectTo } = await import('../temporal.ts');
  const connection = await connectTo(settings, facts.temporalAddress);
  const broken = neighbour.gone.then(() => {
    throw new CliError(
      `The command that ran the local stack (\`npm run ${facts.command}\`, process ${facts.pid}) has ended, so nothing works on this run any more. ` +
        'It stays in Temporal and goes on at the next `npm start`.',
    );
  });
  // Nobody may be waiting for it in the moment when we leave.
  broken.catch(() => undefined);
  return {
    facts,
    connection,
    kind: 'guest',
    started: [],
    broken,
    async close() {
      await connection.close();
      neighbour.leave();
    },
    kill: () => neighbour.leave(),
  };
}

async function elsewhere({ connection }: Running, { settings, command }: OpenStackOptions): Promise<Stack> {
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
    kind: 'elsewhere',
    started: [],
    broken: new Promise(() => undefined),
    close: async () => await connection.close(),
    kill: () => undefined,
  };
}
