/**
 * npm run bench:download: how fast does one source arrive over 1 to 8 connections through a slow proxy?
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllowedAddresses, nothingAllowed } from '../network/address-guard.ts';
import { downloadSource } from '../container/transfer/download.ts';
import { createMediaAgent } from '../container/transfer/http-agent.ts';
import { jobRoom } from '../container/transfer/scratch-room.ts';
import { startToxiproxy, type Toxic } from '../test/support/toxiproxy.ts';
import { inUnit, report } from './report.ts';

const rounds = 5;
const bytes = 96 * 1024 ** 2;
const content = randomBytes(bytes);

const networks: readonly [string, readonly Toxic[]][] = [
  ['loopback', []],
  ['20 MB/s a connection', [{ type: 'bandwidth', attributes: { rate: 20_000 } }]],
  [
    '20 MB/s a connection, 100 ms',
    [
      { type: 'latency', attributes: { latency: 100 } },
      { type: 'bandwidth', attributes: { rate: 20_000 } },
    ],
  ],
];

const server = createServer((request, response) => {
  const [, from = '0', last = String(bytes - 1)] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
  const part = content.subarray(Number(from), Number(last) + 1);
  const isRange = request.headers.range !== undefined;
  response.writeHead(isRange ? 206 : 200, {
    etag: '"v1"',
    'accept-ranges': 'bytes',
    'content-length': part.length,
    ...(isRange && { 'content-range': `bytes ${from}-${last}/${bytes}` }),
  });
  response.end(part);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const toxiproxy = await startToxiproxy();
const folder = await mkdtemp(join(tmpdir(), 'holdfast-bench-'));
const parsed = parseAllowedAddresses('127.0.0.1');
const dispatcher = createMediaAgent(parsed.kind === 'allowed' ? parsed.allowed : nothingAllowed, 30);

async function download(url: string, connections: number): Promise<number> {
  const began = performance.now();
  await downloadSource(url, join(folder, 'input'), {
    dispatcher,
    connections,
    mediaRoot: undefined,
    maxBytes: 1e12,
    room: jobRoom(async () => 1e12),
    signal: new AbortController().signal,
    onProgress: () => {},
  });
  return (performance.now() - began) / 1000;
}

try {
  await writeFile(join(folder, 'input'), '');
  for (const [name, toxics] of networks) {
    const proxy = await toxiproxy.proxy(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const toxic of toxics) await proxy.poison('downstream', toxic);
    const figures: Parameters<typeof report>[2] = {};
    for (const connections of [1, 2, 4, 8]) {
      const seconds: number[] = [];
      for (let round = 0; round < rounds; round += 1) seconds.push(await download(`${proxy.url}/source`, connections));
      figures[connections === 1 ? '1 connection' : `${connections} connections`] = inUnit('s', ...seconds);
    }
    report('download', name, figures);
  }
} finally {
  await dispatcher.destroy();
  await toxiproxy.stop();
  server.close();
  server.closeAllConnections();
  await rm(folder, { recursive: true });
}
