import { Writable } from 'node:stream';
import express from 'express';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { createLog } from '../../../process/log.ts';
import { auditRequests } from '../../../server/access/audit.ts';
import { auditedAction } from '../../../server/http/audited-action.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const lines: Record<string, unknown>[] = [];
/** The client of the slow run leaves when its request has arrived. */
const leaving = new AbortController();

const destination = new Writable({
  write(line: Buffer, _encoding, done) {
    lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
    done();
  },
});
const app = express();
app.use(auditRequests(createLog('server', 'silent', destination), auditedAction));
app.post('/api/runs/:id/cancel', (incoming, response) => {
  if (incoming.params.id === 'slow') leaving.abort();
  else response.status(202).end();
});
const { url } = await stopAfterAll(LoopbackServer.start(app));

test('writes its lines whatever the log level', async () => {
  await request(`${url}/api/runs/a/cancel`, { method: 'POST' });
  await expect.poll(() => lines.at(-1)).toMatchObject({ audit: true, action: 'run.cancel', target: 'a', status: 202 });
});

test('records a request whose client leaves before the answer as unknown', async () => {
  const { signal } = leaving;
  await expect(request(`${url}/api/runs/slow/cancel`, { method: 'POST', signal })).rejects.toThrow();
  await expect.poll(() => lines.at(-1)).toMatchObject({ target: 'slow', outcome: 'unknown', actor: 'unknown' });
});

test('shows no credentials and no query of a URL in a target', async () => {
  const id = encodeURIComponent('https://user:password@host.test/x?signature=s');
  await request(`${url}/api/runs/${id}/cancel`, { method: 'POST' });
  await expect.poll(() => lines.at(-1)?.['target']).toBe('https://host.test/x?…');
});
