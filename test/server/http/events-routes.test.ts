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

/** A client of Anna; `change` reports a change to all viewers. */
async function viewersOf() {
  const listeners = new Set<(change: RunChange) => void>();
  const feed = {
    start: async () => 'e-0',
    subscribe: (listener: (change: RunChange) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const runs = { view: async () => viewed };
  const caller = { id: 'token', scopes: new Set(['read'] as const), owner: 'anna' };
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
