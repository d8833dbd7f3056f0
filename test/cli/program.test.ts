import { Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../cli/program.ts';

async function parse(...args: string[]): Promise<unknown[]> {
  let called: unknown[] = [];
  const call = (name: string) =>
    async function record(...given: unknown[]) {
      // Commander adds the command itself; its arguments and options are what counts.
      called = [name, ...given.filter((value) => name !== 'start' && !(value instanceof Command))];
    };
  const program = buildProgram(
    {
      start: call('start'),
      encode: call('encode'),
      chunk: call('chunk'),
      process: call('process'),
      inspect: call('inspect'),
      listPresets: call('listPresets'),
      listRuns: call('listRuns'),
      cancelRuns: call('cancelRuns'),
      rerun: call('rerun'),
      setupServer: call('setupServer'),
      limiter: call('limiter'),
    },
    '1.2.3',
  );
  for (const command of [program, ...program.commands, ...program.commands.flatMap(({ commands }) => commands)]) {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  }
  await program.parseAsync(args, { from: 'user' });
  return called;
}

/** Of a command that runs workflows, where nothing was said. */
const defaults = { overwrite: false, skipExisting: false, recursive: false, detach: false, json: false };
const encodeDefaults = { format: ['mp3_128'], preset: [], trimSilence: false, ...defaults };

test.each([
  [
    ['encode', 'a.wav'],
    ['encode', ['a.wav'], encodeDefaults],
  ],
  [
    ['encode', 'a.wav', '--format', 'mp3_128', '--format', 'opus_24'],
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['mp3_128', 'opus_24'] }],
  ],
  [
    ['encode', '-f', 'mp3_128,flac', 'a.wav'],
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['mp3_128', 'flac'] }],
  ],
  [
    ['encode', 'a.wav', '--channels', '1', '--sample-rate', '24000', '--out', 'there', '--overwrite'],
    ['encode', ['a.wav'], { ...encodeDefaults, channels: 1, sampleRate: 24_000, out: 'there', overwrite: true }],
  ],
  [
    ['encode', 'a.wav', '--analysis', 'peaks', '--zoom', '512', '--split-channels'],
    ['encode', ['a.wav'], { ...encodeDefaults, format: [], analysis: ['peaks'], zoom: 512, splitChannels: true }],
  ],
  [
    ['encode', 'a.wav', '-f', 'flac', '--image', 'waveform', '--waveform-color', '#ff0000'],
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['flac'], image: ['waveform'], waveformColor: '#ff0000' }],
  ],
  [
    ['encode', 'a.wav', '--preset', 'podcast-aac,speech-opus', '-p', 'mine'],
    ['encode', ['a.wav'], { ...encodeDefaults, format: [], preset: ['podcast-aac', 'speech-opus', 'mine'] }],
  ],
  [
    ['encode', 'a.wav', '--preset', 'podcast-aac', '--format', 'flac'],
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['flac'], preset: ['podcast-aac'] }],
  ],
  [
    ['encode', 'a.wav', '--preset', 'podcast-aac', '-l', '-19/-1.5'],
    [
      'encode',
      ['a.wav'],
      { ...encodeDefaults, format: [], preset: ['podcast-aac'], loudness: { integrated: -19, truePeak: -1.5 } },
    ],
  ],
  [
    [
      'encode',
      'a.wav',
      '--title',
      'A talk',
      '--metadata',
      'publisher=Us',
      '--metadata',
      'SHOW ID=a=b',
      '--cover',
      'c.png',
    ],
    [
      'encode',
      ['a.wav'],
      { ...encodeDefaults, title: 'A talk', metadata: { publisher: 'Us', 'SHOW ID': 'a=b' }, cover: 'c.png' },
    ],
  ],
  [
    [
      ...['encode', 'a.mov', '--container', 'mp4', '--video', 'h264', '--crf', '21.5', '--max-bitrate', '3000'],
      ...['--fit', 'cover', '--width', '1280', '--height', '720', '--fps', '29.97', '--speed', 'slow'],
      ...[
        '--video-level',
        '4.1',
        '--fragmented',
        '--keyframe-interval',
        '2',
        '--output',
        '{"format":"flac"}',
        '--output',
        'two.json',
      ],
    ],
    [
      'encode',
      ['a.mov'],
      {
        ...{ ...encodeDefaults, format: [], container: 'mp4', video: 'h264', crf: 21.5, maxBitrate: 3000 },
        ...{
          fit: 'cover',
          width: 1280,
          height: 720,
          fps: 29.97,
          speed: 'slow',
          keyframeInterval: 2,
          videoLevel: '4.1',
          fragmented: true,
        },
        output: ['{"format":"flac"}', 'two.json'],
      },
    ],
  ],
  [
    ['encode', 'a.mkv', '-t', 'de', '--trim-start', '1.5', '--trim-end', '60', '--fade-in', '0.2', '--fade-out', '2'],
    ['encode', ['a.mkv'], { ...encodeDefaults, track: 'de', trimStart: 1.5, trimEnd: 60, fadeIn: 0.2, fadeOut: 2 }],
  ],
  [
    ['encode', 'a.wav', '--trim-silence', '--shorten-silence', '0.8', '--level', 'speech'],
    ['encode', ['a.wav'], { ...encodeDefaults, trimSilence: true, shortenSilence: 0.8, level: 'speech' }],
  ],
  [
    [
      ...['encode', 'a.wav', '--chapters', 'from-silence', '--chapter-min-pause', '1.5'],
      ...['--chapter-min-length', '30', '--silence-threshold', '-45'],
    ],
    [
      'encode',
      ['a.wav'],
      {
        ...encodeDefaults,
        ...{ chapters: 'from-silence', chapterMinPause: 1.5, chapterMinLength: 30, silenceThreshold: -45 },
      },
    ],
  ],
  [
    ['encode', 'a.mkv', '--track', '2'],
    ['encode', ['a.mkv'], { ...encodeDefaults, track: 2 }],
  ],
  [
    ['presets', '--json'],
    ['listPresets', { json: true }],
  ],
  [
    ['chunk', 'a.wav'],
    ['chunk', ['a.wav'], defaults],
  ],
  [
    ['process', 'a.wav', '--provider', 'openai/whisper-1', '--provider', 'a/b,c/d'],
    ['process', ['a.wav'], { provider: ['openai/whisper-1', 'a/b', 'c/d'], ...defaults }],
  ],
  [
    ['chunk', 'a.wav', '--chunk-duration', '30', '--overlap-duration', '1.5'],
    ['chunk', ['a.wav'], { chunkDuration: 30, overlapDuration: 1.5, ...defaults }],
  ],
  [
    ['process', 's3://b/a.wav', '--format', 'opus_24', '--chapters', 'from-transcript'],
    ['process', ['s3://b/a.wav'], { format: 'opus_24', chapters: 'from-transcript', ...defaults }],
  ],
  [
    ['encode', 'a.wav', 'talks', '--recursive', '--skip-existing', '--retry-max-time', '60', '--json'],
    [
      'encode',
      ['a.wav', 'talks'],
      { ...encodeDefaults, recursive: true, skipExisting: true, retryMaxTime: 60, json: true },
    ],
  ],
  [
    ['chunk', '--wait', 'chunk-talk-1', '--wait', 'chunk-talk-2', '--out', 'there'],
    ['chunk', [], { ...defaults, wait: ['chunk-talk-1', 'chunk-talk-2'], out: 'there' }],
  ],
  [
    ['process', 'a.wav', '--workflow-id', 'talk-1', '--detach'],
    ['process', ['a.wav'], { ...defaults, workflowId: 'talk-1', detach: true }],
  ],
  [['runs'], ['listRuns', { watch: false, json: false, limit: 20 }]],
  [
    ['runs', '--watch', '--state', 'running', '-n', '5'],
    ['listRuns', { watch: true, json: false, limit: 5, state: 'running' }],
  ],
  [
    ['runs', 'cancel', 'a', 'b'],
    ['cancelRuns', ['a', 'b']],
  ],
  [
    ['runs', 'rerun', 'a'],
    ['rerun', 'a'],
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
  [['encode', 'a.wav', '--preset', 'Podcast; ls'], /must look like podcast-mp3-stereo/],
  [['encode', 'a.wav', '--channels', 'two'], /whole number/],
  [['encode', 'a.wav', '--channels', '9'], /'-c, --channels <number>' .* whole number from 1 to 8\./],
  [['encode', 'a.wav', '--sample-rate', '44'], /whole number from 1000 to 384000/],
  [
    ['encode', 'a.wav', '--analysis', 'peaks', '--zoom', '1'],
    /'--zoom <samples>' .* whole number from 2 to 2147483647/,
  ],
  [['encode', 'a.wav', '--analysis', 'peaks', '--bits', '12'], /'--bits <number>' .* It must be 8 or 16\./],
  [['encode', 'a.wav', '--image', 'waveform', '--width', '99999'], /'--width <pixels>' .* from 1 to 16384/],
  [['encode', 'a.wav', '--image', 'waveform', '--height', '0'], /'--height <pixels>' .* from 1 to 8192/],
  [['encode', 'a.wav', '--title', 'a'.repeat(1025)], /'--title <text>' .* title may have 1024 characters at most\./],
  [['encode', 'a.wav', '--date', 'today'], /date must be a date such as 2026-11-22/],
  [['encode', 'a.wav', '--metadata', 'encoder=me'], /encoder is a name that files keep for themselves\./],
  [['encode', 'a.wav', '--track', 'english'], /a number from 0, a language such as en or deu/],
  [['encode', 'a.wav', '--loudness', 'loud'], /It must be podcast, podcast-mono, ebu-r128.*-16\/-1/],
  [['encode', 'a.wav', '--loudness', '-16/1'], /It must be podcast/],
  [['encode', 'a.wav', '--loudness', '/'], /It must be podcast/],
  [['encode', 'a.wav', '--track', 'the second'], /a number from 0, a language such as en or deu/],
  [['encode', 'a.wav', '--trim-start', '2', '--trim-end', '1.5'], /'--trim-end <seconds>' must come after/],
  [['encode', 'a.wav', '--shorten-silence', '0.1'], /0\.2 to 3600 seconds/],
  [['encode', 'a.wav', '--chapters', 'from-silence', '--chapter-min-pause', '0.1'], /0\.2 to 3600 seconds/],
  [['encode', 'a.wav', '--chapters', 'from-silence', '--chapter-min-length', '86401'], /1 to 86400 seconds/],
  [['encode', 'a.wav', '--chapters', 'from-silence', '--chapter-min-length', 'an hour'], /It must be a number/],
  [['encode', 'a.wav', '--analysis', 'peaks', '--loudness', 'podcast'], /'--loudness' needs --format or --preset/],
  [['encode', 'a.wav', '--image', 'waveform', '--sample-rate', '8000'], /'--sample-rate' needs --format or --preset/],
  [['encode', 'a.wav', '--analysis', 'report', '--title', 'A'], /'--title' needs --format or --preset/],
  [['encode', 'a.wav', '--wait', 'talk-1'], /takes no source/],
  [['encode', 'a.wav', '--overwrite', '--skip-existing'], /cannot be used with/],
  [['encode', '--wait', 'talk-1', '--detach'], /cannot be used with/],
  [['encode', 'a.wav', '--workflow-id', '../talk'], /letters, digits/],
  [['runs', '--state', 'asleep'], /queued, running, waiting, succeeded, failed, cancelled/],
  [['runs', 'cancel'], /missing required argument/],
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
