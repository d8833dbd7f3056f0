import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { processesNaming } from '../support/ffmpeg-processes.ts';
import { speechWav } from '../support/media.ts';
import { callers, hidden, keyBytes, secret } from './support/planted-secrets.ts';
import { secretSettings, StackWithSecrets } from './support/stack-with-secrets.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

// Plants secrets everywhere, makes faults repeat them, kills a container, and searches everything that is left.

const fileKey = keyBytes('file', 16);

const parts = await stopAfterAll(StackWithSecrets.start());

/** Answers with everything in the request, as proxies and stores do. */
function repeat(status: number, request: IncomingMessage, response: ServerResponse): void {
  request.resume().once('end', () => {
    const { authorization = '' } = request.headers;
    const asked = `${request.url} ${authorization}`;
    response.writeHead(status, { 'x-asked': asked, 'www-authenticate': `Bearer error="${authorization}"` });
    response.end(`<Error><Code>SlowDown</Code><Message>${asked}</Message></Error>`);
  });
}

/** Fails at first, then answers. */
function failsFirst(when: string, then: (response: ServerResponse) => void): string {
  let calls = 0;
  return parts.media.on(when, (request, response) => {
    calls += 1;
    if (calls === 1) repeat(503, request, response);
    else request.resume().once('end', () => then(response));
  });
}

const headers = { authorization: { env: 'HEADER_CDN' } };
const output = { format: 'mp3_64', uploadUrl: 's3://media/out.mp3' };
const speech = 's3://media/speech.wav';

const encrypted = (name: string, encryption: object) => ({
  sourceUrl: 's3://media/film.mp4',
  outputs: [
    {
      package: ['hls'],
      segmentSeconds: 2,
      video: { speed: 'fast' },
      renditions: [{ height: 180 }],
      encryption: { keyUri: 'https://keys.test/1', ...encryption },
      uploadUrlPrefix: `s3://media/${name}/`,
    },
  ],
});
const common = { scheme: 'cbcs', keyId: '8a5e2b7c-1d3f-4a60-9b11-c2d3e4f50617' };

const processing = (model: string) => ({
  sourceUrl: speech,
  uploadUrlPrefix: `s3://media/${model}/`,
  chunkDuration: 10,
  provider: `test/${model}`,
});

/** Starts a run through the server, like its page. */
async function start(workflow: string, input: object): Promise<WorkflowHandle> {
  const retry = { baseDelay: 1, maxDelay: 2 };
  const { status, body } = await parts.ask('POST', '/api/runs', { workflow, input: { retry, ...input } });
  expect(status, JSON.stringify(body)).toBe(201);
  return parts.stack.client.workflow.getHandle(body.id);
}

/** Searches every process that works in the container's folder. */
async function searchProcesses(): Promise<void> {
  for (const { pid, command } of await processesNaming(parts.stack.container.scratchDir)) {
    parts.findings.search('command lines', command);
    // The process may have ended since the listing.
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1').catch(() => '');
    parts.findings.search('environments of ffmpeg', environment);
  }
}

async function encodeWithKilledContainer(): Promise<void> {
  const { media, receiver, barrier, stack } = parts;
  media.serve('/speech.wav', speechWav);
  const location = `/speech.wav?signature=${secret('redirect')}`;
  const source = failsFirst('GET /late.wav', (response) => response.writeHead(307, { location }).end());
  const store = failsFirst('PUT /out.mp3', (response) => response.writeHead(200).end());
  receiver.answer = (response, count) => response.writeHead(count === 1 ? 503 : 204).end();
  await barrier.shut('ffmpeg', '/output-0');
  const run = await start('encode', {
    sourceUrl: `${source}?${hidden('source')}`,
    headers,
    outputs: [{ format: 'mp3_64', uploadUrl: `${store}?${hidden('store')}`, headers }, output],
    webhook: { url: `${receiver.url}?${hidden('webhook')}`, secret: 'acme' },
  });
  await stack.worker.until('encoder at the barrier', () => barrier.isReached('ffmpeg'));
  await searchProcesses();
  await parts.replaceKilledContainer();
  expect(await run.result()).toMatchObject({ outputs: [{ format: 'mp3_64' }, { format: 'mp3_64' }] });
}

/** Returns how each run ended. */
async function runOthers(): Promise<string[]> {
  const { media } = parts;
  const { host } = new URL(media.url);
  const keyUrl = failsFirst('GET /key', (response) => response.end(fileKey));
  const broken = media.on('GET /broken.wav', (_, response) => void response.end('no audio at all'));
  const forbidden = media.on('GET /forbidden.wav', (request, response) => repeat(403, request, response));
  const withPassword = `http://ana:${secret('password')}@${host}/speech.wav`;
  const guarded = media.on('GET /guarded.wav', (_, response) => {
    response.writeHead(302, { location: withPassword }).end();
  });
  const encode = (sourceUrl: string, uploadUrl = output.uploadUrl) =>
    start('encode', { sourceUrl, ...(sourceUrl !== speech && { headers }), outputs: [{ ...output, uploadUrl }] });
  const runs = [
    await start('encode', encrypted('named', { ...common, key: 'acme' })),
    await start('encode', encrypted('fetched', { scheme: 'aes-128', keyUrl: `${keyUrl}?${hidden('key')}`, headers })),
    await start('processing', processing('whisper')),
    await start('processing', processing('refusing')),
    await encode(`${broken}?${hidden('broken')}#${callers.word}`),
    await encode(`${forbidden}?${hidden('forbidden')}`),
    await encode(guarded),
    await encode(`http://ana:${callers.word}@${host}/speech.wav`),
    await encode(speech, `http://ana:${callers.word}@${host}/out.mp3`),
  ];
  const endOf = async (run: WorkflowHandle): Promise<string> => {
    try {
      const { status = 'completed' } = (await run.result()) as { status?: string };
      return status;
    } catch (error) {
      return (error as { cause: { type: string } }).cause.type;
    }
  };
  return await Promise.all(runs.map(endOf));
}

/** Sends requests that are refused; their answers might repeat the secrets. */
async function askWrongly(): Promise<void> {
  await parts.ask('GET', '/api/runs', undefined, secret('wrong'));
  await parts.ask('GET', '/login');
  const key = fileKey.toString('hex');
  const direct = { authorization: secret('direct') };
  for (const input of [
    encrypted('plain', { ...common, key }),
    { sourceUrl: secret('url'), outputs: [output] },
    { sourceUrl: 'https://media.test/a.wav', headers: direct, outputs: [output] },
  ]) {
    expect(await parts.ask('POST', '/api/runs', { workflow: 'encode', input })).toMatchObject({ status: 400 });
  }
  await parts.askContainer('GET', '/jobs', undefined, secret('wrong'));
  const source = { sourceUrl: `${parts.media.url}/none.wav?signature=${secret('query')}`, headers: direct };
  await parts.askContainer('POST', '/metadata', JSON.stringify(source));
  const { outputs } = encrypted('direct', { ...common, key: `${key}00` });
  await parts.askContainer('POST', '/encode', JSON.stringify({ ...source, outputs }));
  await parts.askContainer('POST', '/encode', `{"sourceUrl": "${secret('json')}`);
}

test('no secret is in a history, a log, a trace, a metric, a file or an answer after faults and a killed container', async () => {
  await encodeWithKilledContainer();
  expect(await runOthers()).toEqual([
    ...['completed', 'completed', 'completed', 'failed', 'UndecodableSource', 'SourceNotFound'],
    ...['SourceForbidden', 'SourceForbidden', 'UploadForbidden'],
  ]);
  await askWrongly();
  await parts.searchAnswers();
  await parts.searchHistories();
  await parts.searchWhatIsLeft();
  const { findings, receiver, provider, traces } = parts;
  expect(findings.found).toEqual([]);

  // Proves that there was something to find.
  expect(findings.places.toSorted()).toEqual([
    ...['answers of the container', 'answers of the server', 'command lines', 'environments of ffmpeg'],
    ...['events of the server', 'histories', 'histories without their inputs', 'lists of runs', 'logs'],
    ...[
      'messages to webhooks',
      'metrics of the worker',
      'results',
      'scratch',
      'scratch of the killed container',
      'traces',
    ],
  ]);
  expect(receiver.verified(secretSettings.worker.WEBHOOK_SECRET_ACME).length).toBeGreaterThan(2);
  expect(provider.calls.at(0)?.headers.authorization).toBe(`Bearer ${secretSettings.worker.PROVIDER_KEY}`);
  expect(traces.spans.length).toBeGreaterThan(200);
});
