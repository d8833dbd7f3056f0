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
    limiter: call('limiter'),
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
  [
    ['limiter', 'openai/whisper-1'],
    ['limiter', 'openai/whisper-1', { json: false, resume: false }],
  ],
  [
    ['limiter', 'a/b', '--throttle', '90', '--reason', ' quota used up ', '--environment', 'staging', '--json'],
    ['limiter', 'a/b', { json: true, resume: false, throttle: 90, reason: 'quota used up', environment: 'staging' }],
  ],
  [
    [
      'limiter',
      'a/b',
      '--resume',
      '--set',
      'requestsPerMinute=30',
      '--set',
      'permitSeconds=180.5',
      '--set',
      'burstLimit=default',
    ],
    [
      'limiter',
      'a/b',
      { json: false, resume: true, set: { requestsPerMinute: 30, permitSeconds: 180.5, burstLimit: null } },
    ],
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
  [['limiter'], /missing required argument 'key'/],
  [['limiter', 'whisper-1'], /must look like openai\/whisper-1/],
  [['limiter', 'a/b', '--throttle', 'long'], /number of seconds/],
  [['limiter', 'a/b', '--throttle', '0'], /above 0 and at most 691200/],
  [['limiter', 'a/b', '--throttle', '691201'], /above 0 and at most 691200/],
  [['limiter', 'a/b', '--throttle', '60', '--resume'], /cannot be used with option '--resume'/],
  [['limiter', 'a/b', '--reason', 'quota'], /'--reason <text>' needs '--throttle <seconds>'/],
  [['limiter', 'a/b', '--throttle', '60', '--reason', ' '], /a sentence/],
  [['limiter', 'a/b', '--environment', 'a b'], /a name of letters, digits/],
  [['limiter', 'a/b', '--set', 'requestsPerMinute'], /look like requestsPerMinute=30/],
  [['limiter', 'a/b', '--set', 'requestsPerDay=30'], /with one of maxConcurrent, requestsPerMinute/],
  [['limiter', 'a/b', '--set', 'requestsPerMinute=0'], /requestsPerMinute: .*>0/],
  [['limiter', 'a/b', '--set', 'requestsPerMinute=many'], /requestsPerMinute: .*number/],
  [['limiter', 'a/b', '--set', 'requestsPerHour= '], /requestsPerHour: .*number/],
  [['limiter', 'a/b', '--set', 'burstLimit=0.5'], /burstLimit: .*int/],
  [['limiter', 'a/b', '--set', 'maxConcurrent=1001'], /maxConcurrent: .*1000/],
  [['limiter', 'a/b', '--set', 'breakerSeconds=-1'], /breakerSeconds: .*>0/],
])('%j is refused with a sentence', async (args, sentence) => {
  const error = await parse(...args).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(CommanderError);
  expect((error as Error).message).toMatch(sentence);
});
