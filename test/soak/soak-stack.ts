import { copyFile, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WebhookMessage } from '../../contract/workflow/webhook.ts';
import type { Seed } from '../chaos/support/seed.ts';
import type { ContainerLife } from '../chaos/support/job-lives.ts';
import { HoldfastClient } from '../../api-client/client.ts';
import { MediaServer } from '../fixtures/media-server.ts';
import {
  rateLimitAnswer,
  transcription,
  TranscriptionServer,
  type TranscriptionReply,
} from '../fixtures/transcription-server.ts';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { TestContainer } from '../support/container.ts';
import { withInspector } from '../support/inspector.ts';
import { longWav, musicOgg, speechWav } from '../support/media.ts';
import type { TestProcess } from '../support/process.ts';
import { startS3, type S3Server } from '../support/s3.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { clockSignal, steppingClock } from './stepping-clock.ts';

/** Length of the long source. */
export const longSeconds = 60;
/** Percentage of answers of origin and provider that are faults. */
const faultPercent = 10;
/** Time for a job to end after SIGTERM. */
const drainMs = 60_000;

/** Environment of the workers and the server: an inspector for measurements, and a clock that can be stepped. */
const ofLasting = {
  NODE_OPTIONS: `${withInspector.NODE_OPTIONS} ${steppingClock}`,
};

/** All parts of Holdfast: growth is judged by those that are never killed. */
export class SoakStack {
  readonly stack: TestStack;
  readonly s3: S3Server;
  readonly media: MediaServer;
  readonly provider: TranscriptionServer;
  readonly server: TestServer;
  readonly receiver: WebhookReceiver;
  /** Folder of the containers and the server. */
  readonly mediaRoot: string;
  /** Client of the server. */
  readonly client: HoldfastClient;
  readonly lives: ContainerLife[];
  readonly #seed: Seed;
  readonly #folder: string;
  #victim: TestProcess;

  private constructor(
    parts: Pick<SoakStack, 'stack' | 's3' | 'media' | 'provider' | 'server' | 'receiver' | 'mediaRoot'>,
    victim: TestProcess,
    seed: Seed,
    folder: string,
  ) {
    ({ stack: this.stack, s3: this.s3, media: this.media, provider: this.provider, server: this.server } = parts);
    ({ receiver: this.receiver, mediaRoot: this.mediaRoot } = parts);
    this.client = new HoldfastClient({ url: this.server.url });
    this.lives = this.stack.containers.map((container) => ({ container, killed: false }));
    this.#victim = victim;
    this.#seed = seed;
    this.#folder = folder;
  }

  static async start(seed: Seed): Promise<SoakStack> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-soak-')));
    const mediaRoot = join(folder, 'media');
    await mkdir(mediaRoot);
    const [s3, media, receiver] = await Promise.all([startS3(), MediaServer.start(), WebhookReceiver.start()]);
    receiver.answer = (response) => response.writeHead(failsFirstTry(seed, receiver) ? 503 : 204).end();
    const provider = await TranscriptionServer.start((call) => reply(seed, call.index));
    const limits = { requestsPerMinute: 6_000, requestsPerHour: 1_000_000, burstLimit: 100, breakerFailures: 100 };
    const whisper = { kind: 'openai-transcription', url: provider.url, secretEnv: 'TEST_SECRET', limits };
    const providersFile = join(folder, 'providers.json');
    // One of thousands of chunks met four random faults in a row and failed, as it must.
    const backoff = { min: 0.2, max: 1, attempts: 8 };
    await writeFile(providersFile, JSON.stringify({ 'test/whisper-1': { ...whisper, backoff } }));
    const stack = await TestStack.start({
      containers: 2,
      containerEnvironment: {
        RETRY_AFTER_SECONDS: '1',
        DRAIN_TIMEOUT_SECONDS: `${drainMs / 1_000}`,
        MEDIA_ROOT: mediaRoot,
        ...withInspector,
      },
      workerEnvironment: {
        ...s3.environment,
        ...ofLasting,
        PROVIDERS_FILE: providersFile,
        TEST_SECRET: 'secret',
        ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
        WEBHOOK_SECRET_SOAK: `whsec_${Buffer.from('a secret of 24 characters').toString('base64')}`,
        WEBHOOK_SECRET_SOAK_ORIGINS: new URL(receiver.url).origin,
      },
    });
    const victim = await stack.addWorker();
    const server = await TestServer.start({
      TEMPORAL_ADDRESS: stack.temporal.address,
      MEDIA_ROOT: mediaRoot,
      ...ofLasting,
    });
    await copyFile(
      await longWav({ seconds: longSeconds, channels: 2, source: musicOgg }),
      join(s3.folder, 'media/long.wav'),
    );
    const soak = new SoakStack({ stack, s3, media, provider, server, receiver, mediaRoot }, victim, seed, folder);
    soak.#serveWithFaults('/speech.wav', speechWav);
    return soak;
  }

  /** Faults by the name in the report. */
  readonly strikes: Record<string, () => Promise<void>> = {
    'container killed': () => this.#replaceContainer('SIGKILL'),
    'container deployed': () => this.#replaceContainer('SIGTERM'),
    'worker killed': () => this.#replaceWorker('SIGKILL'),
    'worker deployed': () => this.#replaceWorker('SIGTERM'),
    'Temporal killed': async () => {
      await this.stack.temporal.process.stop('SIGKILL');
      await this.stack.temporal.restart();
    },
    'clock stepped': async () => {
      process.kill(this.#seed.pick([this.stack.worker, this.#victim, this.server.process]).pid, clockSignal);
    },
  };

  get webhook() {
    return { url: this.receiver.url, secret: 'SOAK' };
  }

  /** Run ids of the runs whose end the receiver has been told. */
  toldEnds(): Set<string> {
    const messages = this.receiver.received.map(({ body }) => JSON.parse(body) as WebhookMessage);
    const ends = messages.filter(({ type }) => ['run.completed', 'run.failed', 'run.cancelled'].includes(type));
    return new Set(ends.map(({ data }) => data.runId));
  }

  /** Processes that live from the first to the last moment. */
  get lasting(): Record<string, TestProcess> {
    return { container: this.stack.container.process, worker: this.stack.worker, server: this.server.process };
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.stack.stop();
    await Promise.all([this.s3.stop(), this.media.stop(), this.provider.stop(), this.receiver.stop()]);
    await rm(this.#folder, { recursive: true, force: true });
  }

  async #replaceContainer(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    const [, container] = this.stack.containers;
    const life = this.lives.at(-1);
    if (container === undefined || life?.container !== container) throw new Error('there is no second container');
    life.killed = signal === 'SIGKILL';
    await container.process.stop(signal, drainMs + 10_000);
    await this.#seed.moment(1_000);
    const next = await TestContainer.restart(container);
    this.stack.containers[1] = next;
    this.lives.push({ container: next, killed: false });
  }

  async #replaceWorker(signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
    await this.#victim.stop(signal, drainMs);
    await this.#seed.moment(1_000);
    const start = () => this.stack.addWorker();
    // A worker that does not reach Temporal ends. Its orchestrator starts it again.
    this.#victim = await start().catch(start);
  }

  /** Serves the file, and at times an error or half of it. */
  #serveWithFaults(path: string, file: string): void {
    this.media.on(`GET ${path}`, async (request, response) => {
      if (this.#seed.below(100) >= faultPercent) {
        const body = await readFile(file);
        response.writeHead(200, { 'content-length': body.length }).end(body);
      } else if (this.#seed.below(2) === 0) {
        response.writeHead(503, { 'retry-after': '1' }).end();
      } else {
        response.writeHead(200, { 'content-length': 10_000_000 });
        response.write(Buffer.alloc(1_000), () => request.socket.destroy());
      }
    });
  }
}

/** A second failed try would be repeated only after minutes. */
function failsFirstTry(seed: Seed, { received }: WebhookReceiver): boolean {
  const id = received.at(-1)?.headers['webhook-id'];
  const isFirst = received.filter(({ headers }) => headers['webhook-id'] === id).length === 1;
  return isFirst && seed.below(100) < faultPercent;
}

function reply(seed: Seed, index: number): TranscriptionReply {
  if (seed.below(100) >= faultPercent) {
    // Beyond the overlap with the previous chunk, whose words are left out.
    return { kind: 'answer', body: transcription([{ start: 2.5, end: 3.5, text: ` w${index}` }]), delayMs: 50 };
  }
  const error = { error: { message: 'try again', type: 'server_error' } };
  return seed.pick<TranscriptionReply>([
    { kind: 'drop' },
    { kind: 'answer', status: 500, body: error },
    rateLimitAnswer('slow down', { 'retry-after': '1' }),
  ]);
}
