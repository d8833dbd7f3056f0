import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../cli/program.ts';

async function parse(...args: string[]): Promise<unknown[]> {
  let called: unknown[] = [];
  const call = (name: string) =>
    async function record(...given: unknown[]) {
      // Commander adds the command itself; a source and its options are what counts.
      called = [name, ...given.slice(0, name === 'start' ? 0 : 2)];
    };
  const program = buildProgram({
    start: call('start'),
    encode: call('encode'),
    chunk: call('chunk'),
    process: call('process'),
  });
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  }
  await program.parseAsync(args, { from: 'user' });
  return called;
}

test.each([
  [
    ['encode', 'a.wav'],
    ['encode', 'a.wav', { format: ['mp3_128'], force: false }],
  ],
  [
    ['encode', 'a.wav', '--format', 'mp3_128', '--format', 'opus_24'],
    ['encode', 'a.wav', { format: ['mp3_128', 'opus_24'], force: false }],
  ],
  [
    ['encode', '-f', 'mp3_128,flac', 'a.wav'],
    ['encode', 'a.wav', { format: ['mp3_128', 'flac'], force: false }],
  ],
  [
    ['encode', 'a.wav', '--channels', '1', '--sample-rate', '24000', '--out', 'there', '--force'],
    ['encode', 'a.wav', { format: ['mp3_128'], channels: 1, sampleRate: 24_000, out: 'there', force: true }],
  ],
  [
    ['chunk', 'a.wav'],
    ['chunk', 'a.wav', { force: false }],
  ],
  [
    ['process', 'a.wav', '--provider', 'openai/whisper-1', '--provider', 'a/b,c/d'],
    ['process', 'a.wav', { provider: ['openai/whisper-1', 'a/b', 'c/d'], force: false }],
  ],
  [
    ['chunk', 'a.wav', '--chunk-duration', '30', '--overlap-duration', '1.5'],
    ['chunk', 'a.wav', { chunkDuration: 30, overlapDuration: 1.5, force: false }],
  ],
  [
    ['process', 's3://b/a.wav', '--format', 'opus_24'],
    ['process', 's3://b/a.wav', { format: 'opus_24', force: false }],
  ],
  [['start'], ['start']],
])('%j is read as %j', async (args, expected) => {
  expect(await parse(...args)).toEqual(expected);
});

test.each([
  [['encode'], /missing required argument/],
  [['encode', 'a.wav', '--format', 'mp3_'], /must look like mp3_128/],
  [['encode', 'a.wav', '--format', 'mp3_128; rm -rf /'], /must look like mp3_128/],
  [['encode', 'a.wav', '--channels', 'two'], /whole number/],
  [['encode', 'a.wav', 'b.wav'], /too many arguments/],
  [['encode', 'a.wav', '--fromat', 'flac'], /unknown option.*--format/s],
  [['chunk', 'a.wav', '--chunk-duration', 'long'], /number of seconds/],
  [['transmogrify'], /unknown command/],
])('%j is refused with a sentence', async (args, sentence) => {
  const error = await parse(...args).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(CommanderError);
  expect((error as Error).message).toMatch(sentence);
});
