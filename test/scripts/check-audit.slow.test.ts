import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { execFile } from 'node:child_process';
import { afterEach, expect, test } from 'vitest';
import { projectRoot } from '../support/project-files.ts';

let registry: Server | undefined;

afterEach(() => {
  registry?.close();
});

/** Asks a registry that answers all with that. */
async function audit(status: number, body: string): Promise<{ code: number | null; said: string }> {
  registry = createServer((_request, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const address = `http://127.0.0.1:${(registry.address() as AddressInfo).port}/`;
  const env = { ...process.env, npm_config_registry: address, npm_config_fetch_retries: '0' };
  return await new Promise((resolve) => {
    const child = execFile('node', [`${projectRoot}scripts/check-audit.mjs`], { env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, said: stdout + stderr }),
    );
  });
}

test('an audit that the registry does not answer is told as one, and is no success', async () => {
  const { code, said } = await audit(405, '');
  expect(said).toMatch(/^NOT CHECKED: the registry answers no questions about weaknesses \(405 /m);
  expect(code).toBe(2);
});

test('an audit without a finding is a success', async () => {
  expect(await audit(200, '{}')).toEqual({ code: 0, said: '0 of the npm packages have known weaknesses.\n' });
});
