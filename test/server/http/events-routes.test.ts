import { setTimeout as delay } from 'node:timers/promises';
import express from 'express';
import { expect, test } from 'vitest';
import { HoldfastClient } from '../../../api-client/client.ts';
import type { RunView } from '../../../contract/server/run.ts';
import { authenticate } from '../../../server/access/authenticate.ts';
import type { RunChange, RunFeed } from '../../../server/events/run-feed.ts';
import { EventRoutes } from '../../../server/http/events-routes.ts';
import type { RunService } from '../../../server/runs/run-service.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const run = (minute: number, facts: Partial<RunView>): RunView => ({
  id: 'nightly',
  runId: `started ${minute}`,
  workflow: 'encode',
  owner: 'anna',
  state: 'running',
  startedAt: `2026-11-30T06:0${minute}:00.000Z`,
  ...facts,
});
const ended = { state: 'failed', endedAt: '2026-11-30T06:09:00.000Z' } as const;
const viewed = run(3, { state: 'queued' });

/** A client of Anna; `missed` are changes that it has not seen, and `change` reports a change to all viewers. */
async function viewersOf(missed: RunChange[] = [], expiresAtMs?: number) {
  const listeners = new Set<(change: RunChange) => void>();
  const feed = {
    start: async () => `e-${missed.length}`,
    since: () => missed,
    subscribe: (listener: (change: RunChange) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const runs = { view: async () => viewed };
  const caller = {
    id: 'token',
    scopes: new Set(['read'] as const),
    owner: 'anna',
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
  const app = express()
    .use(
      authenticate(
        () => caller,
        (_request, _response, next) => next(),
      ),
    )
    .use(new EventRoutes(runs as unknown as RunService, feed as unknown as RunFeed).router());
  const server = await stopAfterTest(LoopbackServer.start(app));
  return {
    url: server.url,
    client: new HoldfastClient({ url: server.url }),
    change: (...views: RunView[]): void => {
      for (const view of views) for (const listener of listeners) listener({ id: 'e-1', run: view });
    },
  };
}

test('the events of a run leave out earlier runs of its id, and runs of other owners', async () => {
  const { client, change } = await viewersOf();
  const seen: string[] = [];
  for await (const { runId, state } of client.follow('nightly')) {
    seen.push(`${runId} ${state}`);
    if (seen.length > 1) continue;
    change(run(1, ended), run(2, { ...ended, owner: 'bert' }), run(5, { ...ended, owner: 'bert' }), run(4, {}));
    change(run(3, ended), run(4, ended));
  }
  expect(seen).toEqual(['started 3 queued', 'started 4 running', 'started 4 failed']);
});

test.each([
  [2, true],
  [20, false],
])('a viewer that missed %i large changes gets them only if they fit its buffer', async (changes, resumed) => {
  const large = run(3, { source: 'x'.repeat(100_000) });
  const missed = Array.from({ length: changes }, (_, index) => ({ id: `e-${index + 1}`, run: large }));
  const { url } = await viewersOf(missed);
  const answer = await fetch(`${url}/api/events`, { headers: { 'Last-Event-ID': 'e-0' } });
  const events = answer.body!.pipeThrough(new TextDecoderStream());
  let text = '';
  for await (const part of events) {
    text += part;
    const count = text.split('event: run\n').length - 1;
    if (text.includes('"resumed":') && (!resumed || count === changes)) break;
  }
  expect(text).toContain(`{"resumed":${resumed}}`);
});

test('a stream ends when the token of its caller expires, and not before', async () => {
  const expiresAtMs = Date.now() + 1_500;
  const { url } = await viewersOf([], expiresAtMs);
  for (const path of ['/api/events', '/api/runs/nightly/events']) {
    const text = await (await fetch(`${url}${path}`)).text();
    expect(text).toContain('event: ');
  }
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAtMs - 5);
  const { url: lasting } = await viewersOf([], Date.now() + 100 * 365 * 86_400_000);
  const { body } = await fetch(`${lasting}/api/events`);
  const reader = body!.getReader();
  await reader.read();
  const isOpen = await Promise.race([reader.closed.then(() => false), delay(300, true)]);
  await reader.cancel();
  expect(isOpen).toBe(true);
});
