import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { testInSandbox } from './command-sandbox.ts';

testInSandbox('a reader that ends early, such as head, stops neither runs nor deliveries', async ({ sandbox }) => {
  await mkdir(join(sandbox.folder, 'talks'));
  for (const name of ['one.wav', 'two.wav', 'three.wav'])
    await copyFile(join(sandbox.folder, 'talk.wav'), join(sandbox.folder, 'talks', name));
  await writeFile(join(sandbox.folder, 'talks/broken.wav'), 'Dear diary');
  const command = sandbox.shell(
    'holdfast encode -- talks --out out -f mp3_64 2>&1 | head -n 1; echo "ended with ${PIPESTATUS[0]}"',
  );
  expect(await command.exited).toEqual({ code: 0, signal: null });
  expect(command.output).toMatch(/^.*\nended with 1$/);
  expect((await readdir(join(sandbox.folder, 'out'))).sort()).toEqual(['one.mp3', 'three.mp3', 'two.mp3']);
  expect(await readdir(join(sandbox.home, 'media'))).toEqual([]);
  expect(await sandbox.hasEnded()).toBe(true);
});

testInSandbox('a failed write to standard output is reported and gives exit code 1', async ({ sandbox }) => {
  const full = sandbox.shell('holdfast presets -- --json > /dev/full');
  expect(await full.exited).toEqual({ code: 1, signal: null });
  expect(full.output).toMatch(/^The output could not be written: .*ENOSPC/);
  const head = sandbox.shell('holdfast presets | head -n 1; exit ${PIPESTATUS[0]}');
  expect(await head.exited).toEqual({ code: 0, signal: null });
  expect(head.output).toMatch(/^preset .*$/);
});
