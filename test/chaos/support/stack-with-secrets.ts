import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { makeMedia } from '../../support/media-files.ts';
import { motion, quickH264, tone } from '../../support/films.ts';
import { MediaServer } from '../../fixtures/media-server.ts';
import { TraceReceiver } from '../../fixtures/trace-receiver.ts';
import { oneWord, TranscriptionServer } from '../../fixtures/transcription-server.ts';
import { WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { TestContainer } from '../../support/container.ts';
import { speechWav } from '../../support/media.ts';
import { freePort } from '../../support/ports.ts';
import { startNode, type TestProcess } from '../../support/process.ts';
import { startS3, type S3Server } from '../../support/s3.ts';
import { type ServerAnswer, TestServer } from '../../support/server.ts';
import { TestStack } from '../../support/stack.ts';
import { Barrier } from './barrier.ts';
import { callers, Findings, keyBytes, Marker, ours, readHistory, secret } from './planted-secrets.ts';

const tokens = { container: secret('container'), server: secret('server'), codec: secret('codec') };
const payloadKey = keyBytes('payload', 32).toString('base64');
/** All settings that are secrets. */
export const secretSettings = {
  container: { CONTAINER_TOKEN: tokens.container },
  worker: {
    CONTAINER_TOKEN: tokens.container,
    TEMPORAL_API_KEY: secret('temporal'),
    TEMPORAL_TLS: 'false',
    WEBHOOK_SECRET_ACME: `whsec_${keyBytes('webhook', 32).toString('base64')}`,
    PROVIDER_KEY: secret('provider'),
    PACKAGE_KEY_ACME: keyBytes('package', 16).toString('hex'),
    HEADER_CDN: `Bearer ${secret('header')}`,
  },
  server: {
    PAYLOAD_KEY: payloadKey,
    SERVER_LINK_KEY: secret('links'),
    OIDC_CLIENT_SECRET: secret('oidc'),
    TEMPORAL_API_KEY: secret('temporal'),
    TEMPORAL_TLS: 'false',
  },
  codec: { PAYLOAD_KEY: payloadKey, CODEC_SERVER_TOKEN: tokens.codec },
};
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/**
 * All parts of Holdfast with a secret in every setting and the most verbose logs; everything they output is searched.
 */
export class StackWithSecrets {
  readonly findings: Findings;
  readonly s3: S3Server;
  readonly media: MediaServer;
  readonly traces: TraceReceiver;
  readonly receiver: WebhookReceiver;
  readonly provider: TranscriptionServer;
  readonly barrier: Barrier;
  readonly stack: TestStack;
  readonly server: TestServer;
  readonly #codec: TestProcess;
  readonly #codecUrl: string;
  readonly #metricsUrl: string;
  readonly #folder: string;
  readonly #containers: TestContainer[];

  private constructor(
    parts: Pick<StackWithSecrets, 's3' | 'media' | 'traces' | 'receiver' | 'provider' | 'barrier' | 'stack' | 'server'>,
    folder: string,
    codec: { process: TestProcess; url: string },
    metricsUrl: string,
  ) {
    ({ s3: this.s3, media: this.media, traces: this.traces, receiver: this.receiver } = parts);
    ({ provider: this.provider, barrier: this.barrier, stack: this.stack, server: this.server } = parts);
    this.findings = new Findings([ours, callers, new Marker(this.s3.secretAccessKey), new Marker('X-Amz-Signature')]);
    this.#containers = [this.stack.container];
    this.#folder = folder;
    ({ process: this.#codec, url: this.#codecUrl } = codec);
    this.#metricsUrl = metricsUrl;
  }

  static async start(): Promise<StackWithSecrets> {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-secrets-'));
    const [s3, media, traces, receiver, barrier, provider] = await Promise.all([
      ...([startS3(), MediaServer.start(), TraceReceiver.start(), WebhookReceiver.start()] as const),
      ...([Barrier.make(), startProvider()] as const),
    ]);
    const file = (name: string): string => join(folder, name);
    const key = { kind: 'openai-transcription', url: provider.url, secretEnv: 'PROVIDER_KEY', backoff: { min: 0.2 } };
    await writeFile(file('providers.json'), JSON.stringify({ 'test/whisper': key, 'test/refusing': key }));
    await writeFile(
      file('tokens.json'),
      JSON.stringify([{ token: tokens.server, scopes: ['read', 'run', 'operate'] }]),
    );
    const [metricsPort, codecPort] = [String(await freePort()), String(await freePort())];
    const { environment } = traces;
    const stack = await TestStack.start({
      payloadKey,
      containerEnvironment: { ...secretSettings.container, ...environment, ...barrier.environment, LOG_LEVEL: 'trace' },
      workerEnvironment: {
        ...secretSettings.worker,
        ...environment,
        ...s3.environment,
        ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
        HEADER_CDN_ORIGINS: media.url,
        WEBHOOK_SECRET_ACME_ORIGINS: new URL(receiver.url).origin,
        PROVIDERS_FILE: file('providers.json'),
        METRICS_PORT: metricsPort,
        LOG_LEVEL: 'debug',
      },
    });
    const server = await TestServer.start({
      ...secretSettings.server,
      ...environment,
      TEMPORAL_ADDRESS: stack.temporal.address,
      LOG_LEVEL: 'trace',
      SERVER_TOKENS_FILE: file('tokens.json'),
      OIDC_ISSUER: media.url,
      OIDC_CLIENT_ID: 'holdfast',
    });
    const codec = startNode('codec/main.ts', { ...secretSettings.codec, CODEC_SERVER_PORT: codecPort });
    await codec.until('codec server', () => codec.output.includes('listens at'));
    const film = [...motion(2, '25', '320x180'), ...tone(2), ...quickH264, '-c:a', 'aac'];
    await makeMedia(join(s3.folder, 'media'), 'film.mp4', ...film);
    await writeFile(join(s3.folder, 'media/speech.wav'), await readFile(speechWav));
    const parts = { s3, media, traces, receiver, provider, barrier, stack, server };
    const codecServer = { process: codec, url: `http://127.0.0.1:${codecPort}` };
    return new StackWithSecrets(parts, folder, codecServer, `http://127.0.0.1:${metricsPort}/metrics`);
  }

  async ask(method: 'GET' | 'POST', path: string, body?: unknown, token = tokens.server): Promise<ServerAnswer> {
    const answer = await this.server.call(method, path, {
      headers: bearer(token),
      ...(body !== undefined && { body }),
    });
    this.findings.search('answers of the server', JSON.stringify([answer.headers, answer.body]));
    return answer;
  }

  async askContainer(method: 'GET' | 'POST', path: string, json?: string, token = tokens.container): Promise<string> {
    const headers = { ...bearer(token), ...(json !== undefined && { 'content-type': 'application/json' }) };
    const answer = await request(`${this.stack.container.url}${path}`, { method, headers, body: json ?? null });
    const text = await answer.body.text();
    this.findings.search('answers of the container', `${JSON.stringify(answer.headers)} ${text}`);
    return text;
  }

  async replaceKilledContainer(): Promise<void> {
    const { container } = this.stack;
    await container.process.stop('SIGKILL');
    await this.findings.searchFolder('scratch of the killed container', container.scratchDir);
    await this.barrier.open();
    const next = await TestContainer.restart(container);
    this.stack.containers[0] = next;
    this.#containers.push(next);
  }

  async searchAnswers(): Promise<void> {
    const events = await this.server.watch('/api/events', bearer(tokens.server));
    const { body } = await this.ask('GET', '/api/runs');
    for (const { id } of body.runs) {
      for (const path of ['', '/webhooks']) await this.ask('GET', `/api/runs/${id}${path}`);
    }
    for (const path of ['queue', 'errors', 'limiters', 'metrics', 'session']) await this.ask('GET', `/api/${path}`);
    for (const path of ['/', '/health', '/ready', '/metrics']) await this.askContainer('GET', path);
    const { jobs } = JSON.parse(await this.askContainer('GET', '/jobs')) as { jobs: { jobId: string }[] };
    for (const { jobId } of jobs) {
      for (const path of ['', '/events']) await this.askContainer('GET', `/jobs/${jobId}${path}`);
    }
    const metrics = await request(this.#metricsUrl);
    this.findings.search('metrics of the worker', await metrics.body.text());
    await this.server.process.until('an event', () => events.all.length > 0);
    events.close();
    this.findings.search('events of the server', JSON.stringify(events.all));
  }

  /** Searches histories decoded by the codec server, as a holder of the keys sees them. */
  async searchHistories(): Promise<void> {
    const decoded = ['--codec-endpoint', this.#codecUrl, '--codec-auth', `Bearer ${tokens.codec}`, '--output', 'json'];
    const { temporal } = this.stack;
    const listed = await temporal.cli('workflow', 'list', ...decoded);
    this.findings.search('lists of runs', listed);
    for (const { execution } of JSON.parse(listed) as { execution: { workflowId: string; runId: string } }[]) {
      const run = ['--workflow-id', execution.workflowId, '--run-id', execution.runId];
      const { whole, withoutInputs } = readHistory(await temporal.cli('workflow', 'show', ...run, ...decoded));
      this.findings.search('histories', whole, [ours]);
      this.findings.search('histories without their inputs', withoutInputs);
    }
  }

  async searchWhatIsLeft(): Promise<void> {
    const processes = [...this.stack.workers, ...this.#containers.map(({ process }) => process)];
    for (const { output } of [...processes, this.server.process, this.#codec]) this.findings.search('logs', output);
    this.findings.search('traces', this.traces.text);
    this.findings.search('messages to webhooks', JSON.stringify(this.receiver.received));
    await this.findings.searchFolder('scratch', this.stack.container.scratchDir);
    await this.findings.searchFolder('results', join(this.s3.folder, 'media'));
  }

  async stop(): Promise<void> {
    await this.server.stop();
    await this.#codec.stop();
    await this.stack.stop();
    await this.barrier.remove();
    const { provider, receiver, traces, media, s3 } = this;
    await Promise.all([provider, receiver, traces, media, s3].map((part) => part.stop()));
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** Repeats the key of each call, as providers do; for one model it refuses the key. */
async function startProvider(): Promise<TranscriptionServer> {
  return await TranscriptionServer.start((call) => {
    const error = { message: `Incorrect API key provided: ${call.headers.authorization}` };
    if (call.fields['model'] === 'refusing') return { kind: 'answer', status: 401, body: { error } };
    return call.attempt === 1 ? { kind: 'answer', status: 500, body: { error } } : oneWord(call);
  });
}
