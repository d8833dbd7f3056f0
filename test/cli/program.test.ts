import { expect, test } from 'vitest';
import { buildProgram, type Commands } from '../../cli/program.ts';
import { textOf } from '../support/project-files.ts';
import { argumentsIn, parseArguments } from './parse-arguments.ts';

/** Default options of the commands that run workflows. */
const defaults = { overwrite: false, skipExisting: false, recursive: false, detach: false, json: false };
const encodeDefaults = { format: ['mp3_128'], preset: [], trimSilence: false, ...defaults };

test.each([
  ['encode a.wav', ['encode', ['a.wav'], encodeDefaults]],
  [
    'encode a.wav --format mp3_128 --format opus_24',
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['mp3_128', 'opus_24'] }],
  ],
  ['encode -f mp3_128,flac a.wav', ['encode', ['a.wav'], { ...encodeDefaults, format: ['mp3_128', 'flac'] }]],
  [
    'encode a.wav --channels 1 --sample-rate 24000 --out there --overwrite',
    ['encode', ['a.wav'], { ...encodeDefaults, channels: 1, sampleRate: 24_000, out: 'there', overwrite: true }],
  ],
  [
    'encode a.wav --analysis peaks --zoom 512 --split-channels',
    ['encode', ['a.wav'], { ...encodeDefaults, format: [], analysis: ['peaks'], zoom: 512, splitChannels: true }],
  ],
  [
    'encode a.wav -f flac --image waveform --waveform-color #ff0000',
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['flac'], image: ['waveform'], waveformColor: '#ff0000' }],
  ],
  [
    'encode a.wav --preset podcast-aac,speech-opus -p mine',
    ['encode', ['a.wav'], { ...encodeDefaults, format: [], preset: ['podcast-aac', 'speech-opus', 'mine'] }],
  ],
  [
    'encode a.wav --preset podcast-aac --format flac',
    ['encode', ['a.wav'], { ...encodeDefaults, format: ['flac'], preset: ['podcast-aac'] }],
  ],
  [
    'encode a.wav --preset podcast-aac -l -19/-1.5',
    [
      'encode',
      ['a.wav'],
      { ...encodeDefaults, format: [], preset: ['podcast-aac'], loudness: { integrated: -19, truePeak: -1.5 } },
    ],
  ],
  [
    "encode a.wav --title 'A talk' --metadata publisher=Us --metadata 'SHOW ID=a=b' --cover c.png",
    [
      'encode',
      ['a.wav'],
      { ...encodeDefaults, title: 'A talk', metadata: { publisher: 'Us', 'SHOW ID': 'a=b' }, cover: 'c.png' },
    ],
  ],
  [
    'encode a.mov --container mp4 --video h264 --crf 21.5 --max-bitrate 3000 --fit cover --width 1280 --height 720 --fps 29.97 --speed slow --video-level 4.1 --fragmented --keyframe-interval 2 --output {"format":"flac"} --output two.json',
    [
      'encode',
      ['a.mov'],
      {
        ...encodeDefaults,
        format: [],
        container: 'mp4',
        video: 'h264',
        crf: 21.5,
        maxBitrate: 3000,
        fit: 'cover',
        width: 1280,
        height: 720,
        fps: 29.97,
        speed: 'slow',
        keyframeInterval: 2,
        videoLevel: '4.1',
        fragmented: true,
        output: ['{"format":"flac"}', 'two.json'],
      },
    ],
  ],
  [
    'encode a.mkv -t de --trim-start 1.5 --trim-end 60 --fade-in 0.2 --fade-out 2',
    ['encode', ['a.mkv'], { ...encodeDefaults, track: 'de', trimStart: 1.5, trimEnd: 60, fadeIn: 0.2, fadeOut: 2 }],
  ],
  [
    'encode a.wav --trim-silence --shorten-silence 0.8 --level speech',
    ['encode', ['a.wav'], { ...encodeDefaults, trimSilence: true, shortenSilence: 0.8, level: 'speech' }],
  ],
  [
    'encode a.wav --chapters from-silence --chapter-min-pause 1.5 --chapter-min-length 30 --silence-threshold -45',
    [
      'encode',
      ['a.wav'],
      {
        ...encodeDefaults,
        chapters: 'from-silence',
        chapterMinPause: 1.5,
        chapterMinLength: 30,
        silenceThreshold: -45,
      },
    ],
  ],
  ['encode a.mkv --track 2', ['encode', ['a.mkv'], { ...encodeDefaults, track: 2 }]],
  ['presets --json', ['showPresets', { json: true }]],
  ['chunk a.wav', ['chunk', ['a.wav'], defaults]],
  [
    'process a.wav --provider openai/whisper-1 --provider a/b,c/d',
    ['process', ['a.wav'], { provider: ['openai/whisper-1', 'a/b', 'c/d'], ...defaults }],
  ],
  [
    'process a.wav --provider none --caption-line-length 37 --caption-lines 3 --caption-reading-speed 15.5 --caption-gap 0.5',
    [
      'process',
      ['a.wav'],
      {
        ...defaults,
        provider: ['none'],
        captionLineLength: 37,
        captionLines: 3,
        captionReadingSpeed: 15.5,
        captionGap: 0.5,
      },
    ],
  ],
  [
    'chunk a.wav --chunk-duration 30 --overlap-duration 1.5',
    ['chunk', ['a.wav'], { chunkDuration: 30, overlapDuration: 1.5, ...defaults }],
  ],
  [
    'process s3://b/a.wav --format opus_24 --chapters from-transcript',
    ['process', ['s3://b/a.wav'], { format: 'opus_24', chapters: 'from-transcript', ...defaults }],
  ],
  ['process a.wav --speakers', ['process', ['a.wav'], { speakers: true, ...defaults }]],
  ['process a.wav --speakers 2', ['process', ['a.wav'], { speakers: 2, ...defaults }]],
  ['process a.wav --translate', ['process', ['a.wav'], { translate: true, ...defaults }]],
  ['process a.wav --vocabulary Holdfast,Ann', ['process', ['a.wav'], { vocabulary: ['Holdfast', 'Ann'], ...defaults }]],
  [
    'encode a.wav talks --recursive --skip-existing --retry-max-time 60 --json',
    [
      'encode',
      ['a.wav', 'talks'],
      { ...encodeDefaults, recursive: true, skipExisting: true, retryMaxTime: 60, json: true },
    ],
  ],
  [
    'chunk --wait chunk-talk-1 --wait chunk-talk-2 --out there',
    ['chunk', [], { ...defaults, wait: ['chunk-talk-1', 'chunk-talk-2'], out: 'there' }],
  ],
  [
    'process a.wav --workflow-id talk-1 --detach',
    ['process', ['a.wav'], { ...defaults, workflowId: 'talk-1', detach: true }],
  ],
  ['runs', ['listRuns', { watch: false, json: false, limit: 20 }]],
  [
    'runs --from 2026-11-27 --to 2026-11-27',
    ['listRuns', { watch: false, json: false, limit: 20, from: '2026-11-27', to: '2026-11-27' }],
  ],
  ['runs --watch --state running -n 5', ['listRuns', { watch: true, json: false, limit: 5, state: 'running' }]],
  ['runs cancel a b', ['cancelRuns', ['a', 'b']]],
  ['runs rerun a', ['rerun', 'a', {}]],
  ['limiter openai/whisper-1', ['limiter', 'openai/whisper-1', { json: false, resume: false }]],
  [
    "limiter a/b --throttle 90 --reason ' quota used up ' --environment staging --json",
    ['limiter', 'a/b', { json: true, resume: false, throttle: 90, reason: 'quota used up', environment: 'staging' }],
  ],
  [
    'limiter a/b --resume --set requestsPerMinute=30 --set permitSeconds=180.5 --set burstLimit=default',
    [
      'limiter',
      'a/b',
      { json: false, resume: true, set: { requestsPerMinute: 30, permitSeconds: 180.5, burstLimit: null } },
    ],
  ],
  ['start', ['start']],
])('parses %j as %j', async (line, expected) => {
  expect(await parseArguments(...argumentsIn(line))).toEqual(expected);
});

test('docs/cli.md names only options that a command has', () => {
  const commands = buildProgram({} as Commands, '').commands.flatMap((command) => [command, ...command.commands]);
  const known = new Set(commands.flatMap(({ options }) => options.map(({ long }) => long)).concat('--help'));
  const named = [...textOf('docs/cli.md').matchAll(/(?<![\w-])--[a-z][a-z0-9-]*/g)].map(([option]) => option);
  expect(named.length).toBeGreaterThan(100);
  expect(named.filter((option) => !known.has(option))).toEqual([]);
});

test('the help of `encode` groups its options by subject, and the options of the run come last', () => {
  const program = buildProgram({} as Commands, '1.2.3');
  const help = program.commands.find((command) => command.name() === 'encode')?.helpInformation() ?? '';
  const headings = [...help.matchAll(/^([A-Z][\w, ]+):$/gm)].map(([, heading]) => heading);
  expect(headings.slice(0, 4)).toEqual(['Arguments', 'Files', 'Outputs', 'Sound']);
  expect(headings.slice(-3)).toEqual(['Run', 'Retries', 'Options']);
  expect(help.slice(help.indexOf('\nOptions:')).match(/^ +-/gm)).toHaveLength(1);
});
