import { expect, test } from 'vitest';
import { ContainerClient } from '../../../activities/container/client.ts';
import { attemptFailure } from '../../../activities/container/failures.ts';
import type { FailedAttempt } from '../../../contract/activity.ts';
import {
  accepted,
  answer,
  chunkResult,
  jobView,
  metadataResult,
  ScriptedContainer,
  type ScriptedReply,
  succeededView,
} from '../../fixtures/scripted-container.ts';
import { failureOf, TestAttempt } from '../../support/attempt.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';

/** Answers each request that `before` does not answer. */
let reply: ScriptedReply;
let before: (method: string, path: string, index: number) => ScriptedReply | undefined;

const container = await stopAfterAll(
  ScriptedContainer.start(({ method, path }, index) => before(method, path, index) ?? reply, {
    leases: true,
  }),
);

function answering(given: ScriptedReply, first: typeof before = () => undefined): void {
  reply = given;
  before = first;
  container.requests.length = 0;
}

const statuses = [
  ...[200, 201, 202, 204, 206, 300, 301, 302, 303, 307, 308],
  ...[
    400, 401, 402, 403, 404, 405, 407, 408, 409, 410, 411, 413, 414, 415, 418, 421, 422, 423, 425, 429, 431, 451, 499,
  ],
  ...[500, 501, 502, 503, 504, 505, 507, 511, 520, 521, 522, 523, 524, 525, 526, 527, 528, 529, 530, 599],
];

const page = '<html><head><title>Bad Gateway</title></head><body><h1>nginx</h1></body></html>';
const html = { 'content-type': 'text/html; charset=utf-8' };

/** These pages are tried with every status, the others with some. */
const pages: [string, unknown, Record<string, string>?][] = [
  ['HTML', page, html],
  ['nothing', ''],
  ['other JSON', { message: 'Not Found', status: 404 }],
];
const oddities: typeof pages = [
  ['text', 'upstream connect error', { 'content-type': 'text/plain' }],
  ['JSON that looks like an error', { error: 'Not Found', path: '/encode' }],
  ['another success', { ok: true, result: [] }],
  ['errors of another API', { success: 'no', error: 'x', errors: [] }],
  ['JSON that is no object', '[1, 2]'],
  ['a truncated answer', '{"success":false,"error":"The enc'],
];
const foreign = [
  ...pages.map(([what, ...given]) => ({ what, statuses, given })),
  ...oddities.map(([what, ...given]) => ({ what, statuses: [200, 404, 429, 500, 521], given })),
];

const ours = { success: false, error: 'The container says so.' };

/** Failure types of answers without a code (docs/reference/errors.md). */
const typeOfOurs: Record<number, string> = {
  400: 'InvalidRequest',
  401: 'Unauthorized',
  404: 'NotFound',
  413: 'RequestTooLarge',
  499: 'Cancelled',
  415: 'UnsupportedMediaType',
  429: 'RateLimited',
  500: 'Internal',
  502: 'ConnectionError',
  503: 'ConnectionError',
  504: 'ConnectionError',
};

/** Failure types of all requests of a client. */
async function failuresOfAll(): Promise<{ type: string | null | undefined; facts: FailedAttempt }[]> {
  const client = new ContainerClient(container.url, undefined);
  const signal = new AbortController().signal;
  const job = { jobId: 'job-1' };
  const requests = [
    client.submit({ kind: 'encode', body: {}, idempotencyKey: 'key', lease: undefined }, signal),
    client.submit({ kind: 'chunk', body: {}, idempotencyKey: 'key', lease: undefined }, signal),
    client.submit({ kind: 'metadata', body: {}, idempotencyKey: 'key', lease: undefined }, signal),
    client.slot({ lease: 'lease-of-a-test' }, signal),
    client.giveUrls(job, [], signal),
    client.cancel(job, signal),
    client.job(job, signal),
  ];
  return Promise.all(
    requests.map(async (request) => {
      const error: unknown = await request.then(
        (value: unknown) => ({ value }),
        (thrown: unknown) => thrown,
      );
      if (!(error instanceof Error)) return { type: 'none', facts: { ranMs: 0, state: {} } };
      const failure = attemptFailure(error, { ranMs: 0, state: {} });
      return { type: failure.type, facts: failure.details?.[0] as FailedAttempt };
    }),
  );
}

test.each(foreign)(
  '$what instead of a container’s answer is a connection error for every request and status',
  async (of) => {
    for (const status of of.statuses) {
      answering(answer(status, ...of.given));
      for (const { type, facts } of await failuresOfAll()) {
        expect({ status: facts.status, type }).toEqual({
          status,
          type: status === 429 ? 'RateLimited' : 'ConnectionError',
        });
      }
    }
  },
);

test('a container’s own error follows the contract for every request and status', async () => {
  for (const status of statuses.filter((status) => status !== 204)) {
    answering(answer(status, ours));
    const type = status < 300 ? 'UnexpectedReply' : (typeOfOurs[status] ?? `Http${status}`);
    const [encode, chunk, metadata, slot] = await failuresOfAll();
    for (const failure of [encode, chunk, metadata, slot]) {
      expect({ status: failure?.facts.status, type: failure?.type }).toEqual({ status, type });
    }
  }
});

test.each(foreign)('$what instead of a container’s answer does not lose a followed job', async ({ given }) => {
  const location = { containerUrl: container.url, jobId: 'job-1' };
  for (const status of [200, 404]) {
    answering(answer(status, ...given));
    const failed = await failureOf(
      new TestAttempt(container.url, { context: { state: { location } } }).follow(location),
    );
    expect(failed).toMatchObject({ type: 'ConnectionError', facts: { status, state: { location } } });
  }
});

test('polls the job if a proxy’s page replaces its event stream', async () => {
  answering(answer(200, succeededView), (method, path, index) => {
    if (method === 'POST') return accepted;
    if (path.endsWith('/events')) return answer(200, page, html);
    return index === 0 ? answer(200, jobView(1)) : undefined;
  });
  await new TestAttempt(container.url).encode();
  expect(container.requestsTo('GET', '/jobs/job-1')).toHaveLength(2);
});

test('the next attempt first asks the container of a request that a proxy answered, because it may have arrived', async () => {
  answering(answer(504, page, html));
  const { facts } = await failureOf(new TestAttempt(container.url).encode());
  expect(facts.state).toEqual({ asked: { containerUrl: container.url } });
});

test('honours Retry-After of a proxy’s 503 and 429', async () => {
  for (const status of [429, 503]) {
    answering(answer(status, page, { ...html, 'retry-after': '77' }));
    const { facts } = await failureOf(new TestAttempt(container.url).encode());
    expect(facts.retryAfterSeconds).toBe(77);
  }
});

test('the message names the proxy’s status, and the details name its redirect target without secrets', async () => {
  answering(answer(301, page, { ...html, location: 'https://u:p@login.test/sso?token=secret' }));
  const { message, facts } = await failureOf(new TestAttempt(container.url).encode());
  expect(message).toBe('A proxy answered instead of the container: HTTP 301 (to another address)');
  expect(facts.containerUrl).toBe(`${container.url}, which redirects to https://login.test/sso`);
  answering(answer(502, page, html));
  const gateway = await failureOf(new TestAttempt(container.url).encode());
  expect(gateway.message).toBe('A proxy answered instead of the container: HTTP 502 (text/html)');
});

test('stops reading an endless page instead of holding it in memory', async () => {
  const [mebibyte, sent] = ['x'.repeat(1024 * 1024), { count: 0 }];
  const endless = await LoopbackServer.start((_, response) => {
    response.writeHead(200, html);
    const send = (): void => {
      sent.count += 1;
      if (sent.count < 200 && !response.destroyed) response.write(mebibyte, send);
    };
    send();
  });
  expect(await failureOf(new TestAttempt(endless.url).encode())).toMatchObject({
    type: 'ConnectionError',
    facts: { status: 200 },
  });
  expect(sent.count).toBeLessThan(100);
  await endless.stop();
});

test('continues once the container answers again after its proxy’s pages', async () => {
  answering(answer(200, { ...chunkResult(3) }), (_, path, index) => {
    if (path === '/metadata') return index === 0 ? answer(404, page, html) : answer(200, metadataResult);
    return undefined;
  });
  const attempt = new TestAttempt(container.url);
  const prefix = { uploadUrlPrefix: 's3://media/chunks/' };
  expect((await failureOf(attempt.chunk(prefix))).type).toBe('ConnectionError');
  expect(await attempt.chunk(prefix)).toMatchObject({ totalChunks: 3 });
});
