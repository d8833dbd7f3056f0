import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { HoldfastClient } from '../../api-client/client.ts';
import { probeAudio, speechWav } from '../support/media.ts';
import { projectWithClient } from '../support/packed-client.ts';
import { run, testEnvironment, TestProcess } from '../support/process.ts';
import { projectRoot } from '../support/project-files.ts';
import { freePort } from '../support/ports.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { toolPath } from '../support/tools.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const python = await toolPath('TEMPORAL_PYTHON');

const webhookSecret = `whsec_${Buffer.from('the secret of these examples').toString('base64')}`;
const token = 'a-token-of-these-examples';

const receiverPort = String(await freePort());
const [stack, folder] = await Promise.all([
  stopAfterAll(
    TestStack.start({
      workerEnvironment: {
        WEBHOOK_SECRET_DEMO: webhookSecret,
        WEBHOOK_SECRET_DEMO_ORIGINS: `http://127.0.0.1:${receiverPort}`,
        ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
      },
    }),
  ),
  projectWithClient(['@temporalio/client', '@types/node']),
]);
await cp(join(projectRoot, 'examples'), folder, { recursive: true });
await copyFile(speechWav, join(folder, 'A talk – ü.wav'));
const tokens = join(folder, 'tokens.json');
await writeFile(tokens, JSON.stringify([{ token, scopes: ['read', 'run'] }]));
const settings = { MEDIA_ROOT: stack.container.mediaRoot, SERVER_TOKENS_FILE: tokens };
const server = await stopAfterAll(TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address, ...settings }));
const environment = testEnvironment({
  HOLDFAST_URL: server.url,
  HOLDFAST_TOKEN: token,
  TEMPORAL_ADDRESS: stack.temporal.address,
});

afterAll(() => rm(folder, { recursive: true }));

async function runExample(command: string, ...args: string[]): Promise<string> {
  const { code, output } = await run(command, args, { cwd: folder, environment });
  expect(code, output).toBe(0);
  return output;
}

/** Checks a file that an example has made. */
async function expectSpeech(path: string, codec: string): Promise<void> {
  const [made, source] = await Promise.all([probeAudio(path), probeAudio(speechWav)]);
  expect(made.codec).toBe(codec);
  // An mp3 has whole frames, plus one before them.
  expect(Math.abs(made.duration - source.duration)).toBeLessThan(0.1);
}

const mediaPath = (name: string): string => join(stack.container.mediaRoot, name);
const mediaUrl = (name: string): string => pathToFileURL(mediaPath(name)).href;

test('the package has types that check the examples, and so do its own packages', async () => {
  const compilerOptions = {
    strict: true,
    target: 'es2024',
    lib: ['es2024', 'dom'],
    module: 'nodenext',
    noEmit: true,
    types: ['node'],
    erasableSyntaxOnly: true,
    allowJs: true,
    checkJs: true,
    skipLibCheck: true,
  };
  await writeFile(
    join(folder, 'wrong.ts'),
    `import { HoldfastClient } from '@holdfast/client';
    const holdfast = new HoldfastClient();
    // @ts-expect-error -- without outputs
    void holdfast.start({ workflow: 'encode', input: { sourceUrl: 'https://example.com/talk.wav' } });`,
  );
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts', '**/*.mjs'] }));
  await runExample(join(projectRoot, 'node_modules/.bin/tsc'), '--project', '.');
});

test.each([
  [process.execPath, ['javascript/encode-file.mjs'], 'Usage: node encode-file.mjs <source> <target>'],
  [process.execPath, ['javascript/encode-file.mjs', 'none.wav', 'x.mp3'], 'none.wav cannot be read.'],
  [process.execPath, ['javascript/start-run.mjs'], 'Usage: node start-run.mjs <source URL> <target URL>'],
  [process.execPath, ['javascript/start-run.mjs', 'file:///none.wav', 'file:///x.mp3'], 'it is outside MEDIA_ROOT'],
  [process.execPath, ['webhook-receiver/receive.mjs'], 'Set WEBHOOK_SECRET to the secret of the workers.'],
  ['curl/encode-file.sh', ['none.wav'], 'Usage: ./encode-file.sh <source> <target>'],
  ['curl/encode-file.sh', ['none.wav', 'x.mp3'], 'none.wav cannot be read.'],
  [python, ['python/start_run.py'], 'Usage: python start_run.py <source URL> <target URL>'],
])('an example names what is missing: %s %j', async (command, args, sentence) => {
  const { code, output } = await run(command, args, { cwd: folder, environment });
  expect(output).toContain(sentence);
  expect(output).not.toMatch(/^ +at |Traceback/m);
  expect(code).toBe(1);
});

test('the JavaScript example uploads a file, follows its run and saves the result', async () => {
  const output = await runExample(process.execPath, 'javascript/encode-file.mjs', 'A talk – ü.wav', 'client.mp3');
  expect(output).toMatch(/100 % sent[\s\S]*succeeded[\s\S]*Saved client\.mp3/);
  await expectSpeech(join(folder, 'client.mp3'), 'mp3');
});

test('the curl example uploads a file, follows its run and saves the result', async () => {
  const output = await runExample('curl/encode-file.sh', 'A talk – ü.wav', 'curl.mp3');
  expect(output).toMatch(/succeeded[\s\S]*Saved curl\.mp3/);
  await expectSpeech(join(folder, 'curl.mp3'), 'mp3');
  // Both ways make the same file.
  expect(await readFile(join(folder, 'curl.mp3'))).toEqual(await readFile(join(folder, 'client.mp3')));
});

test('Temporal’s SDKs for Node and Python start a run and get its result, or the reason of its failure', async () => {
  await copyFile(speechWav, mediaPath('talk.wav'));
  const start = ['javascript/start-run.mjs', mediaUrl('talk.wav'), mediaUrl('talk.mp3')];
  expect(await runExample(process.execPath, ...start)).toContain('"sha256"');
  await expectSpeech(mediaPath('talk.mp3'), 'mp3');
  const output = await runExample(python, 'python/start_run.py', mediaUrl('talk.wav'), mediaUrl('talk.ogg'));
  expect(output).toContain('"sha256"');
  await expectSpeech(mediaPath('talk.ogg'), 'opus');
  const failing = ['python/start_run.py', mediaUrl('nobody.wav'), mediaUrl('nobody.ogg')];
  const failed = await run(python, failing, { cwd: folder, environment });
  expect(failed.code).toBe(1);
  expect(failed.output).toMatch(/The run failed: .*nobody\.wav/);
});

test('the webhook receiver handles a run’s message once and trusts no stranger', async () => {
  const own = { ...environment, PORT: receiverPort, WEBHOOK_SECRET: webhookSecret };
  const receiver = new TestProcess('receiver', process.execPath, ['webhook-receiver/receive.mjs'], own, folder);
  try {
    await receiver.until('address', () => receiver.output.includes('Listening'));
    const url = `http://127.0.0.1:${receiverPort}/`;
    const { status } = await fetch(url, { method: 'POST', body: '{"type":"run.completed","data":{"id":"not mine"}}' });
    expect(status).toBe(401);
    const holdfast = new HoldfastClient({ url: server.url, token });
    const { id } = await holdfast.start({
      workflow: 'encode',
      input: { sourceUrl: mediaUrl('talk.wav'), outputs: [{ format: 'mp3_64', uploadUrl: 'result:x.mp3' }] },
      webhook: { url, secret: 'demo' },
    });
    // Each message is sent independently and may be repeated.
    const hasHeard = (type: string): boolean => receiver.output.includes(`${type} ${id}`);
    await receiver.until('start and end of the run', () => hasHeard('run.started') && hasHeard('run.completed'));
    expect(receiver.output).not.toContain('not mine');
    await holdfast.replayWebhooks(id);
    const again = async (): Promise<boolean> => {
      const { messages } = await holdfast.webhooks(id);
      return messages.length === 4 && messages.every(({ state }) => state === 'delivered');
    };
    await receiver.until('second delivery', again);
    expect(receiver.output.split(`run.completed ${id}`)).toHaveLength(2);
  } finally {
    await receiver.stop();
  }
});
