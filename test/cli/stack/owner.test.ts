import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { becomeOwner, attachToOwner, type StackFacts } from '../../../cli/stack/owner.ts';
import { testFolder } from '../../support/folder.ts';

const facts: StackFacts = {
  pid: process.pid,
  command: 'start',
  temporalAddress: '127.0.0.1:7233',
  namespace: 'default',
  taskQueue: 'holdfast',
  uiUrl: undefined,
  containerUrls: ['http://127.0.0.1:8080'],
  mediaRoot: '/media',
};

test('one of two commands in a folder becomes the owner, and the other gets its addresses', async () => {
  const folder = testFolder();
  const owner = await becomeOwner(folder);
  expect(owner).toBeDefined();
  expect(await becomeOwner(folder)).toBeUndefined();

  // The stack is still starting.
  const joining = attachToOwner(folder, 'encode');
  await new Promise((resolve) => setTimeout(resolve, 50));
  owner?.announce(facts);
  const attachment = await joining;
  expect(attachment?.facts).toEqual(JSON.parse(JSON.stringify(facts)));
  expect(owner?.attachedCommands()).toEqual([{ pid: process.pid, command: 'encode' }]);

  attachment?.detach();
  await owner?.untilNoneAttached();
  owner?.close();
  expect(await attachToOwner(folder, 'encode')).toBeUndefined();
});

test('a command that comes while the stack stops waits until it has stopped, and then finds no owner', async () => {
  const folder = testFolder();
  const owner = await becomeOwner(folder);
  owner?.announce(facts);
  owner?.withdraw();
  const joining = attachToOwner(folder, 'encode');
  await expect.poll(() => owner?.attachedCommands().length).toBe(1);
  expect(await becomeOwner(folder)).toBeUndefined();
  // A command that only asks Temporal uses it until it stops, which is last.
  const asking = await attachToOwner(folder, 'runs', { mayStop: true });
  expect(asking?.facts.temporalAddress).toBe(facts.temporalAddress);
  asking?.detach();
  owner?.close();
  expect(await joining).toBeUndefined();
});

test('no command gets the addresses before the owner knows of it', async () => {
  const folder = testFolder();
  const owner = await becomeOwner(folder);
  owner?.announce(facts);
  const silent = connect(join(folder, 'stack.sock'));
  const lines: string[] = [];
  silent.on('data', (data) => lines.push(String(data)));
  await once(silent, 'connect');
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(lines).toEqual([]);
  silent.write('{"pid":1,"command":"encode"}\n');
  await expect.poll(() => lines.join('')).toContain('"start"');
  owner?.close();
});

test('an attached command notices the end of its owner', async () => {
  const folder = testFolder();
  const owner = await becomeOwner(folder);
  owner?.announce(facts);
  const attachment = await attachToOwner(folder, 'encode');
  await new Promise((resolve) => setTimeout(resolve, 50));
  owner?.close();
  await attachment?.ownerEnded;
});

test('a command that is killed before it reads the addresses does not end the owner', async () => {
  const folder = testFolder();
  const owner = await becomeOwner(folder);
  owner?.announce(facts);
  const killed = connect(join(folder, 'stack.sock')).pause();
  await once(killed, 'connect');
  killed.write('{"pid":1,"command":"encode"}\n');
  await expect.poll(() => owner?.attachedCommands().length).toBe(1);
  // The system resets a connection with unread bytes.
  killed.destroy();
  await owner?.untilNoneAttached();
  expect((await attachToOwner(folder, 'chunk'))?.facts.pid).toBe(process.pid);
  owner?.close();
});

test('a command that waits for a stopped owner says so after two seconds, and ends at the first signal', async () => {
  const folder = testFolder();
  const owner = await becomeOwner(folder);
  const [interrupt, onSlow] = [new AbortController(), vi.fn()];
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const joining = attachToOwner(folder, 'encode', { signal: interrupt.signal, onSlow });
  await expect.poll(() => owner?.attachedCommands().length).toBe(1);
  expect(onSlow).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_000);
  expect(onSlow).toHaveBeenCalledOnce();

  const reason = new Error('Ctrl-C');
  interrupt.abort(reason);
  await expect(joining).rejects.toBe(reason);
  await expect.poll(() => owner?.attachedCommands().length).toBe(0);
  owner?.close();
});

test('a command can become the owner after a killed one', async () => {
  const folder = testFolder();
  const program = `import { becomeOwner } from ${JSON.stringify(new URL('../../../cli/stack/owner.ts', import.meta.url).href)};
    await becomeOwner(${JSON.stringify(folder)}); process.kill(process.pid, 'SIGKILL');`;
  spawnSync(process.execPath, ['--input-type=module', '-e', program]);
  expect(existsSync(join(folder, 'stack.sock'))).toBe(true);
  expect(await attachToOwner(folder, 'encode')).toBeUndefined();
  const owner = await becomeOwner(folder);
  expect(owner).toBeDefined();
  owner?.close();
});

test('works in a folder whose path is too long for a socket', async () => {
  const folder = join(testFolder(), 'x'.repeat(120));
  const owner = await becomeOwner(folder);
  owner?.announce(facts);
  expect((await attachToOwner(folder, 'encode'))?.facts.pid).toBe(process.pid);
  owner?.close();
});
