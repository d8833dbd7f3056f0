import type { Connection } from '@temporalio/client';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../settings.ts';
import { isHealthy } from './container-health.ts';
import { startContainers } from './containers.ts';
import { Lifeline } from './lifeline.ts';
import { LocalProcess, type Launch } from './local-process.ts';
import type { Owner, StackFacts } from './owner.ts';
import { isOpen, parseAddress } from './ports.ts';
import { isServed } from './pollers.ts';
import type { OpenStackOptions, Part, Running, Stack } from './stack.ts';
import { startTemporalServer } from './temporal-server.ts';
import { findWebUi } from './web-ui.ts';

/** A worker and a container end their jobs when they are told to stop; both have limits of their own, which are shorter. */
const drainMs = 45_000;
/** The dev server waits up to two minutes for clients that are still connected; its database survives being killed. */
const temporalGraceMs = 5_000;

const partNames: Record<Part, string> = { temporal: 'Temporal', container: 'container', worker: 'worker' };

export interface LocalStackOptions extends OpenStackOptions {
  running: Running;
  owner: Owner;
}

export async function openLocalStack(options: LocalStackOptions): Promise<Stack> {
  const stack = new LocalStack(options);
  try {
    return await stack.open();
  } catch (error) {
    // Half a stack serves nobody.
    await stack.killAndWait();
    throw error;
  }
}

/** The parts of the stack that this command starts, all at once, and ends in order. */
class LocalStack {
  readonly #options: LocalStackOptions;
  readonly #lifeline = new Lifeline();
  #connection: Connection | undefined;
  #temporal: LocalProcess | undefined;
  #containers: LocalProcess[] = [];
  #worker: LocalProcess | undefined;
  #isClosing = false;

  constructor(options: LocalStackOptions) {
    this.#options = options;
    this.#connection = options.running.connection;
  }

  async open(): Promise<Stack> {
    const { settings, running, owner, command, say } = this.#options;
    say(`Starting ${running.missing.map((part) => partNames[part]).join(', ')} …`);
    mkdirSync(settings.mediaRoot, { recursive: true });
    const mediaRoot = realpathSync(settings.mediaRoot);

    const temporal = running.missing.includes('temporal')
      ? await startTemporalServer(this.#launch, settings, say)
      : undefined;
    this.#temporal = temporal?.process;
    const containers = await startContainers(this.#launch, settings, running, mediaRoot, say);
    this.#containers = containers.started.map((container) => container.process);
    const facts: StackFacts = {
      pid: process.pid,
      command,
      temporalAddress: temporal?.address ?? settings.temporal.address,
      namespace: settings.temporal.namespace,
      taskQueue: settings.taskQueue,
      uiUrl: temporal?.uiUrl ?? (await findWebUi(settings)),
      containerUrls: containers.urls,
      mediaRoot,
    };
    if (running.missing.includes('worker')) {
      // A worker ends at once where no Temporal listens; the port opens a second before the server is of use, which the worker's own start takes.
      const place = parseAddress(facts.temporalAddress, 7233);
      await this.#temporal?.untilReady(() => isOpen(place), 30_000, this.#options.signal);
      this.#worker = this.#launch(workerProcess(facts));
    }

    const [connection] = await Promise.all([
      this.#untilConnected(facts.temporalAddress),
      ...containers.started.map((container) =>
        container.process.untilReady(() => isHealthy(container.url), 20_000, this.#options.signal),
      ),
    ]);
    if (this.#options.waitForWorker) await this.#untilServed(connection);
    owner.announce(facts);
    const broken = this.#broken();
    // Nobody may be waiting for it in the moment when a part ends.
    broken.catch(() => undefined);
    return {
      facts,
      connection,
      kind: 'own',
      started: running.missing,
      broken,
      close: (onStep) => this.#close(onStep),
      kill: () => this.#kill(),
    };
  }

  async killAndWait(): Promise<void> {
    this.#kill();
    await Promise.all(this.#processes().map((part) => part.ended));
    await this.#connection?.close();
  }

  readonly #launch: Launch = ({ logName, ...options }) =>
    new LocalProcess({
      ...options,
      folder: projectRoot,
      logFile: join(this.#options.settings.stateFolder, 'logs', `${logName}.log`),
      lifeline: this.#lifeline,
    });

  async #untilConnected(address: string): Promise<Connection> {
    const { settings, signal } = this.#options;
    if (this.#connection !== undefined) return this.#connection;
    const { tryConnect, hasNamespace } = await import('../temporal.ts');
    const isUp = async () => {
      this.#connection ??= await tryConnect(settings, address);
      return this.#connection !== undefined && (await hasNamespace(this.#connection, settings.temporal.namespace));
    };
    await this.#temporal?.untilReady(isUp, 30_000, signal);
    if (this.#connection === undefined) throw new Error('Temporal is ready, yet there is no connection');
    return this.#connection;
  }

  async #untilServed(connection: Connection): Promise<void> {
    const { settings, signal } = this.#options;
    const worker = this.#worker;
    const isUp = () => isServed(connection, settings.temporal.namespace, settings.taskQueue, worker?.pid);
    await worker?.untilReady(isUp, 60_000, signal);
  }

  /** A part that ends while nobody has told it to breaks the whole. */
  async #broken(): Promise<never> {
    const error = await Promise.race(this.#processes().map(async (part) => part.endedUnexpectedly(await part.ended)));
    if (this.#isClosing) return await new Promise(() => undefined);
    throw error;
  }

  async #close(onStep: (sentence: string) => void = () => undefined): Promise<void> {
    const { owner } = this.#options;
    const guests = owner.guests().map(({ command, pid }) => `\`npm run ${command}\` (process ${pid})`);
    if (guests.length > 0) {
      onStep(`${guests.join(' and ')} still uses this stack; waiting for its end. Ctrl-C stops at once.`);
      await owner.untilAlone();
    }
    this.#isClosing = true;
    owner.close();
    if (this.#worker?.isRunning === true) onStep('Stopping the worker …');
    await this.#worker?.stop(drainMs);
    if (this.#containers.some((container) => container.isRunning)) onStep('Stopping the container …');
    await Promise.all(this.#containers.map((container) => container.stop(drainMs)));
    await this.#connection?.close();
    if (this.#temporal?.isRunning === true) onStep('Stopping Temporal …');
    await this.#temporal?.stop(temporalGraceMs);
    this.#lifeline.close();
  }

  #kill(): void {
    this.#isClosing = true;
    this.#options.owner.close();
    for (const part of this.#processes()) part.kill();
    this.#lifeline.close();
  }

  #processes(): LocalProcess[] {
    return [this.#worker, ...this.#containers, this.#temporal].filter((part) => part !== undefined);
  }
}

function workerProcess(facts: StackFacts): Parameters<Launch>[0] {
  return {
    name: 'the worker',
    logName: 'worker',
    command: process.execPath,
    args: ['worker/main.ts'],
    environment: {
      ...process.env,
      TEMPORAL_ADDRESS: facts.temporalAddress,
      TEMPORAL_NAMESPACE: facts.namespace,
      TEMPORAL_TASK_QUEUE: facts.taskQueue,
      CONTAINER_URLS: facts.containerUrls.join(','),
      MEDIA_ROOT: facts.mediaRoot,
    },
  };
}
