import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { Client } from '@temporalio/client';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { readyPath, readyRouter } from '../../../server/http/ready-routes.ts';
import { LoopbackServer } from '../../support/loopback-server.ts';
import { TestServer } from '../../support/server.ts';
import { startTemporal } from '../../support/temporal.ts';
import { useFolder } from '../../support/folder.ts';
import { writeTokens } from '../access/token-holders.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

const folder = useFolder();
/** A probe names the address of its pod. */
const probe = { host: 'pod.test' };

test('is ready without a token while Temporal answers, and does not log probes', async () => {
  const temporal = await stopAfterTest(startTemporal());
  const tokens = await writeTokens(folder);
  const settings = { TEMPORAL_ADDRESS: temporal.address, SERVER_TOKENS_FILE: tokens };
  const server = await stopAfterTest(TestServer.start(settings));
  const headers = { 'cache-control': 'no-store' };
  expect(await server.get('/ready', probe)).toMatchObject({ status: 200, body: { status: 'ready' }, headers });
  // The line of a probe would be before that of a later request.
  await server.get('/api/session');
  await server.process.untilLogged('request completed');
  expect(server.process.output).not.toContain('/ready');
});

test('is not ready if Temporal accepts connections and is silent', async () => {
  const silent = createServer((socket) => void socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const server = await stopAfterTest(TestServer.start({ TEMPORAL_ADDRESS: `127.0.0.1:${port}` }));
  const reason = 'the Temporal server does not answer';
  expect(await server.get('/ready', probe)).toMatchObject({ status: 503, body: { status: 'not_ready', reason } });
});

test('asks Temporal once for concurrent probes and for a probe soon after them', async () => {
  const answers: (() => void)[] = [];
  const getSystemInfo = async () => new Promise<void>((resolve) => answers.push(resolve));
  const waitsMs: number[] = [];
  const withDeadline = async (deadlineMs: number, ask: () => unknown): Promise<unknown> => {
    waitsMs.push(deadlineMs - Date.now());
    return await ask();
  };
  const client = { workflowService: { getSystemInfo }, withDeadline };
  const router = readyRouter(client as unknown as Client, 600_000);
  const listener = await stopAfterTest(LoopbackServer.start(express().use(router)));
  let probes = 0;
  listener.http.on('request', () => (probes += 1));
  const ask = async () => (await fetch(`${listener.url}${readyPath}`)).status;
  const asked = [1, 2, 3].map(ask);
  await expect.poll(() => probes).toBe(3);
  expect(answers).toHaveLength(1);
  answers[0]?.();
  expect(await Promise.all(asked)).toEqual([200, 200, 200]);
  expect(await ask()).toBe(200);
  expect(answers).toHaveLength(1);
  // Probes wait 5 s.
  expect(waitsMs[0]).toBeLessThan(5_000);
});
