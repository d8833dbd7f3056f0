import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { projectRoot, readSettings } from '../../../cli/settings.ts';
import { LocalTranscriber } from '../../../cli/stack/local-transcriber.ts';
import { LocalProcess, type Launch } from '../../../cli/stack/local-process.ts';
import { Watchdog } from '../../../cli/stack/watchdog.ts';
import { testFolder } from '../../support/folder.ts';

// A Node script in the place of the transcriber's Python shows what reaches the transcriber.
const echo = `#!/usr/bin/env node
const { appendFileSync } = require('node:fs');
const log = (line) => appendFileSync(process.env.SEEN, line + '\\n');
const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
log('start');
const server = require('node:http').createServer((request, response) => {
  // A process that ends closes its connections some time before its parent hears of the end.
  if (request.url === '/die') {
    server.close();
    request.socket.destroy();
    return void setTimeout(() => process.exit(1), 500);
  }
  if (request.url === '/hang') return void (log('hang'), response.on('close', () => log('closed')));
  request.pipe(response.writeHead(201, { 'x-method': request.method }));
}).listen(port, '127.0.0.1');
`;

async function listen(python?: string) {
  const folder = testFolder();
  const program = join(folder, 'python');
  await writeFile(program, echo);
  await chmod(program, 0o755);
  const seen = join(folder, 'seen');
  await writeFile(seen, '');
  const environment = { ...process.env, TRANSCRIBER_PYTHON: python ?? program, SEEN: seen };
  const watchdog = new Watchdog();
  const launch: Launch = ({ logName, ...options }) =>
    new LocalProcess({ ...options, folder: projectRoot, logFile: join(folder, `${logName}.log`), watchdog });
  const settings = { ...readSettings({ TEMPORAL_CONFIG_FILE: '/nowhere' }), inheritedEnvironment: environment };
  const said: string[] = [];
  const transcriber = await LocalTranscriber.listen(launch, settings, (sentence) => said.push(sentence));
  onTestFinished(async () => {
    await transcriber.killAndWait();
    watchdog.close();
  });
  return {
    transcriber,
    said,
    seen: async () => (await readFile(seen, 'utf8')).split('\n').filter((line) => line !== ''),
  };
}

test('the transcriber starts at the first request, and requests and answers pass unchanged', async () => {
  const { transcriber, seen } = await listen();
  expect(await seen()).toEqual([]);
  const post = async (body: string) => await fetch(`${transcriber.url}/any`, { method: 'POST', body });
  const answers = await Promise.all([post('one'), post('two')]);
  expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['one', 'two']);
  expect([answers[0]?.status, answers[0]?.headers.get('x-method')]).toEqual([201, 'POST']);
  expect(await seen()).toEqual(['start']);
});

test('a caller that disconnects closes its request at the transcriber', async () => {
  const { transcriber, seen } = await listen();
  const caller = new AbortController();
  const call = fetch(`${transcriber.url}/hang`, { signal: caller.signal });
  await vi.waitFor(async () => expect(await seen()).toContain('hang'), 60_000);
  caller.abort();
  await expect(call).rejects.toThrow('aborted');
  await vi.waitFor(async () => expect(await seen()).toContain('closed'), 60_000);
});

test('a transcriber that dies fails its request, and the next request starts it again', async () => {
  const { transcriber, seen } = await listen();
  const failed = await fetch(`${transcriber.url}/die`);
  expect(failed.status).toBe(502);
  expect(await failed.json()).toMatchObject({ error: { message: 'The local transcriber ended during the request.' } });
  expect((await fetch(`${transcriber.url}/any`, { method: 'POST', body: 'again' })).status).toBe(201);
  expect(await seen()).toEqual(['start', 'start']);
});

test('a transcriber that cannot be installed refuses requests with the reason', async () => {
  const { transcriber, said } = await listen('/nowhere/python');
  const refused = await fetch(`${transcriber.url}/v1/audio/transcriptions`, { method: 'POST', body: 'sound' });
  expect(refused.status).toBe(503);
  const sentence = 'TRANSCRIBER_PYTHON is "/nowhere/python", which is not an executable file';
  expect(await refused.text()).toContain('TRANSCRIBER_PYTHON is');
  expect(said.join('\n')).toContain(sentence);
});

test('after the stack has stopped its transcriber, nothing answers', async () => {
  const { transcriber } = await listen();
  await fetch(`${transcriber.url}/any`, { method: 'POST', body: 'one' });
  await transcriber.stop();
  await expect(fetch(`${transcriber.url}/any`)).rejects.toThrow('fetch failed');
});
