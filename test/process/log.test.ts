import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import packageFacts from '../../package.json' with { type: 'json' };
import { createLog } from '../../process/log.ts';
import { outsideRequest, withRequestId } from '../../tracing/request-id.ts';

function logWith(level: string): { log: ReturnType<typeof createLog>; lines: Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const destination = new Writable({
    write(line: Buffer, _encoding, done) {
      lines.push(JSON.parse(line.toString()) as Record<string, unknown>);
      done();
    },
  });
  return { log: createLog('server', level, destination), lines };
}

test('names the level, the service, its version and the process in every line', () => {
  const { log, lines } = logWith('debug');
  for (const level of ['debug', 'info', 'warn', 'error', 'fatal'] as const) log[level]('A sentence');
  log.child({ jobId: 'a' }).info('Another');
  expect(lines.map(({ level }) => level)).toEqual(['debug', 'info', 'warn', 'error', 'fatal', 'info']);
  const base = { service: 'server', version: packageFacts.version, instance: expect.stringMatching(/^[0-9a-f-]{36}$/) };
  for (const line of lines) expect(line).toMatchObject(base);
  expect(new Set(lines.map(({ instance }) => instance)).size).toBe(1);
});

test('adds the id of the request to the lines that the request causes, and to no others', async () => {
  const { log, lines } = logWith('info');
  log.info('before');
  await withRequestId('r-1', async () => {
    log.info('inside');
    await new Promise((resolve) => setImmediate(resolve));
    log.child({ jobId: 'a' }).info('later');
    outsideRequest(() => log.info('for all requests'));
  });
  expect(lines.map(({ msg, requestId }) => [msg, requestId])).toEqual([
    ['before', undefined],
    ['inside', 'r-1'],
    ['later', 'r-1'],
    ['for all requests', undefined],
  ]);
});
