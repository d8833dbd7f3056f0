import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { toolPath } from '../../support/tools.ts';
import { testInSandbox } from '../command-sandbox.ts';

await toolPath('TRANSCRIBER_PYTHON');

// The real engine, by the command that a new user tries first.
testInSandbox('process transcribes a recording on this machine, without a key or a setting', async ({ sandbox }) => {
  const options = ['--chunk-duration', '8', '--speakers', '1', '--out', 'out'];
  const command = sandbox.npm('process', '--', 'talk.wav', ...options);
  expect(await command.exited, command.output).toEqual({ code: 0, signal: null });
  expect(command.output).toContain('Processed 3 of 3 chunks (completed)');
  // The chunks 0–8, 6–14 and 12–15 s overlap, and no word is lost or repeated.
  const sentence = /in order for this to work,? you must already be connected to the internet/i;
  expect(command.output).toMatch(sentence);
  expect(command.output).toMatch(/please wait a moment while I attempt to make the connection/i);
  const read = async (name: string) => await readFile(join(sandbox.folder, 'out', name), 'utf8');
  expect(await read('transcript.txt')).toMatch(sentence);
  expect(await read('transcript.txt')).toMatch(/^S1: /);
  expect(await read('transcript.vtt')).toMatch(/^WEBVTT\n\n1\n00:00:0\d\.\d{3} --> .*\n<v S1>/);
  expect(await read('transcript.ttml')).toContain('xml:lang="en"');
  const { words } = JSON.parse(await read('transcript.verbose.json')) as { words: { word: string; start: number }[] };
  const starts = words.map(({ start }) => start);
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  expect(await sandbox.hasEnded()).toBe(true);
  expect(await readFile(join(sandbox.home, 'logs/transcriber.log'), 'utf8')).toContain('Transcribed');
});
