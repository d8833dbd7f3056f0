import { networkInterfaces } from 'node:os';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startService } from '../../worker/service.ts';

const deps = { roles: ['container'], workers: () => undefined, metrics: async () => ({ contentType: '', text: '' }) };
const hasIpv6 = Object.values(networkInterfaces())
  .flat()
  .some((found) => found?.family === 'IPv6');

test('probes reach a worker over IPv4 and IPv6, and a port in use is reported', async () => {
  const service = await startService(0, deps);
  const { port } = service.address() as AddressInfo;
  for (const host of hasIpv6 ? ['127.0.0.1', '[::1]'] : ['127.0.0.1']) {
    const response = await fetch(`http://${host}:${port}/ready`);
    expect(response.status).toBe(503);
    expect(await response.json()).toEqual({ status: 'not_ready', reason: 'starting' });
  }
  await expect(startService(port, deps)).rejects.toThrow('EADDRINUSE');
  service.close();
});
