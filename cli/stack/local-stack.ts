import type { Connection } from '@temporalio/client';
import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot, type Settings } from '../settings.ts';
import { prolongRetention, registerIn, tryConnectTo } from './connect.ts';
import { isHealthy } from './container-health.ts';
import { currentVersionAdvice, makeCurrentVersion } from './current-version.ts';
import { chooseRelay } from './local-relay.ts';
import { startContainers } from './start-containers.ts';
import { startServer } from './start-server.ts';
import { keepRunning } from './keep-running.ts';
import { LocalTranscriber } from './local-transcriber.ts';
import { Watchdog } from './watchdog.ts';
import { LocalProcess, type Launch } from './local-process.ts';
import type { Owner, StackFacts } from './owner.ts';
import { isOpen, parseAddress } from './ports.ts';
import { hasWorkers } from './pollers.ts';
import type { CloseListeners, OpenStackOptions, RunningParts, Stack, StackPart } from './stack.ts';
import { startTemporalServer } from './temporal-server.ts';
import { findWebUi } from './web-ui.ts';

/** Worker and container have shorter limits of their own after SIGTERM. */
const drainMs = 45_000;
/**
 * After this time the dev server is killed: it would wait up to 2 min for clients, and its database survives a kill.
 */
const temporalGraceMs = 5_000;
/** The server itself closes open requests after 5 s. */
const serverGraceMs = 7_000;

const partNames: Record<StackPart, string> = {
  temporal: 'Temporal',
  container: 'container',
  worker: 'worker',
  server: 'server',
};

export interface LocalStackOptions extends OpenStackOptions {
  running: RunningParts;
  owner: Owner;
}

export async function openLocalStack(options: LocalStackOptions): Promise<Stack> {
  const stack = new LocalStack(options);
  try {
    return await stack.open();
  } catch (error) {
    // An incomplete stack is useless.
    await stack.killAndWait();
    throw error;
  }
}

/** The parts of the stack that this command starts together and stops in order. */
class LocalStack {
  readonly #options: LocalStackOptions;
  readonly #watchdog = new Watchdog();
  #connection: Connection | undefined;
  #temporal: LocalProcess | undefined;
  #containers: LocalProcess[] = [];
  #transcriber: LocalTranscriber | undefined;
  #worker: LocalProcess | undefined;
  #server: LocalProcess | undefined;
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
    const relay = await chooseRelay(settings);
    const containerVariables = { ...relay.containers, MEDIA_ROOT: mediaRoot };
    const containers = await startContainers(this.#launch, settings, running, containerVariables, say);
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
    if (running.missing.includes('server')) {
      const server = await startServer(this.#launch, settings, facts, say);
      this.#server = server.process;
      facts.serverUrl = server.url;
    }
    if (running.missing.includes('worker')) {
      // A worker exits if Temporal does not listen. An open port is enough: the worker connects a second later.
      const place = parseAddress(facts.temporalAddress, 7233);
      await this.#temporal?.untilReady(() => isOpen(place), 30_000, this.#options.signal);
      this.#transcriber = await LocalTranscriber.listen(this.#launch, settings, say);
      this.#worker = this.#launch(
        workerProcess(facts, settings, { ...relay.worker, LOCAL_PROVIDER_URL: this.#transcriber.url }),
      );
    }

    const [connection] = await Promise.all([
      this.#untilConnected(facts.temporalAddress),
      ...containers.started.map((container) =>
        container.process.untilReady(() => isHealthy(container.url), 20_000, this.#options.signal),
      ),
      this.#untilServerListens(facts.serverUrl),
    ]);
    // The database of an older version lacks search attributes. If they cannot be registered, the worker reports it.
    if (temporal !== undefined) {
      await registerIn(connection, facts.namespace).catch(() => undefined);
      await prolongRetention(connection, facts.namespace);
    }
    await this.#makeVersionCurrent(connection);
    if (this.#options.waitForWorker) await this.#untilServed(connection);
    owner.announce(facts);
    const broken = this.#watchParts();
    // A part may end before anyone awaits the promise, which must not be an unhandled rejection.
    broken.catch(() => undefined);
    return {
      facts,
      connection,
      kind: 'own',
      started: running.missing,
      broken,
      close: (listeners = {}) => this.#close(listeners),
      kill: () => this.#kill(),
    };
  }

  async killAndWait(): Promise<void> {
    this.#kill();
    await Promise.all([...this.#processes().map((part) => part.ended), this.#transcriber?.killAndWait()]);
    await this.#connection?.close();
  }

  readonly #launch: Launch = ({ logName, ...options }) =>
    new LocalProcess({
      ...options,
      folder: projectRoot,
      logFile: join(this.#options.settings.stateFolder, 'logs', `${logName}.log`),
      watchdog: this.#watchdog,
    });

  async #untilConnected(address: string): Promise<Connection> {
    const { settings, signal } = this.#options;
    if (this.#connection !== undefined) return this.#connection;
    const isUp = async () => {
      this.#connection ??= await tryConnectTo(settings, address);
      return this.#connection !== undefined;
    };
    await this.#temporal?.untilReady(isUp, 30_000, signal);
    if (this.#connection === undefined) throw new Error('Temporal is ready, yet there is no connection');
    return this.#connection;
  }

  async #untilServerListens(url: string | undefined): Promise<void> {
    if (url === undefined) return;
    const place = parseAddress(new URL(url).host, 80);
    await this.#server?.untilReady(() => isOpen(place), 20_000, this.#options.signal);
  }

  async #untilServed(connection: Connection): Promise<void> {
    const { settings, signal } = this.#options;
    const worker = this.#worker;
    const isUp = () => hasWorkers(connection, settings.temporal.namespace, settings.taskQueue, worker?.pid);
    await worker?.untilReady(isUp, 60_000, signal);
  }

  /** Does so only at a server that this command started; elsewhere another build may be current. */
  async #makeVersionCurrent(connection: Connection): Promise<void> {
    const { settings, signal, say } = this.#options;
    const { deploymentVersion: version, temporal } = settings;
    if (version === undefined || this.#worker === undefined) return;
    if (this.#temporal === undefined) return say(currentVersionAdvice(version));
    const isCurrent = () => makeCurrentVersion(connection, temporal.namespace, version);
    await this.#worker.untilReady(isCurrent, 60_000, signal);
  }

  /** Rejects when a part stays down. */
  async #watchParts(): Promise<never> {
    const supervision = { say: this.#options.say, isClosing: () => this.#isClosing };
    throw await Promise.race(this.#processes().map(async (part) => await keepRunning(part, supervision)));
  }

  async #close({ onWait = () => undefined, onStep = () => undefined }: CloseListeners): Promise<void> {
    const { owner } = this.#options;
    const attached = owner.attachedCommands().map(({ command, pid }) => `\`npx holdfast ${command}\` (process ${pid})`);
    if (attached.length > 0) {
      onWait(`Waiting for ${attached.join(' and ')}, which still uses this stack. Ctrl-C stops at once.`);
      await owner.untilNoneAttached();
    }
    this.#isClosing = true;
    owner.withdraw();
    // Nothing depends on the server, so it stops first.
    await this.#server?.stop(serverGraceMs);
    if (this.#worker?.isRunning === true) onStep('Stopping the worker …');
    await this.#worker?.stop(drainMs);
    await this.#transcriber?.stop();
    if (this.#containers.some((container) => container.isRunning)) onStep('Stopping the container …');
    await Promise.all(this.#containers.map((container) => container.stop(drainMs)));
    await this.#connection?.close();
    if (this.#temporal?.isRunning === true) onStep('Stopping Temporal …');
    await this.#temporal?.stop(temporalGraceMs);
    // The next command becomes the owner. Earlier it would take the parts that still ran for its stack.
    owner.close();
    this.#watchdog.close();
  }

  #kill(): void {
    this.#isClosing = true;
    this.#options.owner.close();
    for (const part of this.#processes()) part.kill();
    this.#transcriber?.kill();
    this.#watchdog.close();
  }

  #processes(): LocalProcess[] {
    return [this.#server, this.#worker, ...this.#containers, this.#temporal].filter((part) => part !== undefined);
  }
}

function workerProcess(
  facts: StackFacts,
  settings: Settings,
  ownVariables: { LOCAL_PROVIDER_URL: string },
): Parameters<Launch>[0] {
  return {
    name: 'the worker',
    logName: 'worker',
    command: process.execPath,
    args: ['worker/main.ts'],
    environment: {
      ...settings.inheritedEnvironment,
      ...ownVariables,
      TEMPORAL_ADDRESS: facts.temporalAddress,
      TEMPORAL_NAMESPACE: facts.namespace,
      TEMPORAL_TASK_QUEUE: facts.taskQueue,
      CONTAINER_URLS: facts.containerUrls.join(','),
      MEDIA_ROOT: facts.mediaRoot,
      SEGMENT_STORE_URL: settings.segmentStore ?? `${pathToFileURL(join(facts.mediaRoot, 'segments')).href}/`,
      // A transcriber that the user names is used instead.
      LOCAL_PROVIDER_URL: settings.inheritedEnvironment['LOCAL_PROVIDER_URL'] || ownVariables.LOCAL_PROVIDER_URL,
    },
  };
}
