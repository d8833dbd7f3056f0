import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import type { EditRequest } from '../../../../engine/pictures/edits/picture-edit.ts';
import { trim } from '../../../../engine/pictures/edits/trim.ts';
import type { VideoPlan } from '../../../../engine/plan/video-plan.ts';
import { cueWindows, planOutput } from '../../../../engine/products/file/plan-output.ts';
import { settleFile } from '../../../support/settled-outputs.ts';

const source = (losslessBits: number | undefined, sampleFormat: string) => {
  const audio = {
    ...{ track: 0, language: undefined, isDefault: false },
    path: 'input',
    formatName: 'mov',
    codec: 'any',
    sampleFormat,
    channels: 2,
    channelLayout: undefined,
    sampleRate: 44_100,
    bitrate: 0,
    losslessBits,
    leadSeconds: 0,
    declaredSeconds: undefined,
    ending: 'unknown' as const,
    estimatedSeconds: undefined,
  };
  return { formatName: 'mov', audio, tracks: [audio], subtitles: [] };
};

test.each([
  ['8 bits', 8, 'u8', { flac: 16, alac: 16, wav: 16 }],
  ['16 bits', 16, 's16', { flac: 16, alac: 16, wav: 16 }],
  ['20 bits', 20, 's32', { flac: 24, alac: 24, wav: 24 }],
  ['24 bits', 24, 's32p', { flac: 24, alac: 24, wav: 24 }],
  ['floating point', 32, 'flt', { flac: 24, alac: 24, wav: 24 }],
  ['a lossy codec that is decoded to floating point', undefined, 'fltp', { flac: 24, alac: 24, wav: 16 }],
  ['a lossy codec that is decoded to 16 bits', undefined, 's16p', { flac: 16, alac: 16, wav: 16 }],
])('lossless outputs of a source of %s have its depth', (_what, losslessBits, sampleFormat, depths) => {
  for (const [format, samples] of Object.entries(depths)) {
    const output = settleFile({ format });
    expect(planOutput(output, source(losslessBits, sampleFormat)).audio, format).toMatchObject({ samples });
  }
});

test.each([9, 16, 24])(
  '%i channels of unnamed speakers are refused, because ffmpeg would leave some of them out',
  (channels) => {
    const { audio, ...rest } = source(24, 's32');
    const track = { ...audio, channels };
    const plan = () => planOutput(settleFile({ format: 'flac' }), { ...rest, audio: track, tracks: [track] });
    expect(plan).toThrow(`the source has ${channels} channels and no channel layout`);
  },
);

test.each<[DescribedOutput, channels: number, bitrate: number]>([
  [{ format: 'mp3' }, 2, 128],
  [{ format: 'mp3', channels: 1 }, 2, 128],
  [{ format: 'mp3', sampleRate: 8000 }, 2, 64],
  [{ format: 'mp3', sampleRate: 8000 }, 1, 64],
])('the default bitrate of %j of %i channels fits the requested rate: %i kbit/s', (request, channels, bitrate) => {
  const { audio, ...rest } = source(16, 's16');
  const track = { ...audio, channels };
  const plan = planOutput(settleFile(request), { ...rest, audio: track, tracks: [track] });
  expect(plan.audio).toMatchObject({ bitrate, ...(request.sampleRate && { sampleRate: request.sampleRate }) });
});

test.each([
  [{ sampleRate: 16_000 }, 1, 96],
  [{ sampleRate: 16_000, channels: 1 }, 2, 96],
  [{ sampleRate: 16_000 }, 2, 128],
  [{ codec: 'vorbis', sampleRate: 8000 }, 2, 84],
  [{ codec: 'vorbis', sampleRate: 48_000, channels: 6 }, 6, 192],
])('the bitrate beside pictures of sound %j of %i channels is %i kbit/s', (sound, channels, bitrate) => {
  const settings = settleFile({ container: 'mkv', video: { codec: 'h264' }, audio: { codec: 'aac', ...sound } });
  const { audio, ...rest } = source(16, 's16');
  const track = { ...audio, channels };
  const plan = planOutput({ ...settings, video: undefined }, { ...rest, audio: track, tracks: [track] });
  expect(plan.audio).toMatchObject({ bitrate });
});

test('gives two cuts of a source different Ogg serial numbers, the same in each job', () => {
  const { audio, ...rest } = source(16, 's16');
  const track = { ...audio, countedSamples: 60 * audio.sampleRate };
  const serialOf = (trim: { start?: number; end?: number }): number | undefined =>
    planOutput({ ...settleFile({ format: 'opus_64' }), trim }, { ...rest, audio: track, tracks: [track] }).audio
      ?.oggSerial;
  const trims = [{}, { end: 10 }, { start: 10 }, { start: 10, end: 20 }];
  expect(new Set(trims.map(serialOf)).size).toBe(4);
  expect(trims.map(serialOf)).toEqual(trims.map(serialOf));
});

test.each([
  [{}, 60],
  [{ start: 5 }, 55],
  [{ start: 5, end: 1000 }, 55],
  [{ end: 30 }, 30],
  [{ start: 5, end: 30 }, 25],
  [{ end: 8 }, 8],
])(
  'texts over 10 s of pictures and 60 s of sound are kept to the end of the sound by the trim %j',
  (asked, seconds) => {
    const timing = { kind: 'constant', fps: { num: 25, den: 1 }, frames: 250, startSeconds: 0 } as const;
    const output = { ...settleFile({ format: 'flac' }), trim: asked };
    const film = trim.plan?.({ output } as EditRequest, { timing } as VideoPlan);
    const { audio } = source(24, 's32');
    const unknown = { declaredSeconds: undefined, estimatedSeconds: undefined };
    for (const longest of [{ declaredSeconds: 60 }, { estimatedSeconds: 60 }]) {
      const lengths = [unknown, longest, { declaredSeconds: 20, estimatedSeconds: 90 }];
      const sounds = lengths.map((length, track) => ({ ...audio, ...unknown, track, ...length }));
      expect(cueWindows(film as VideoPlan, sounds, [0, 0, 0]).whole.file.seconds).toBe(seconds);
    }
  },
);

test('the clock of the sound alone differs from that of the film by their starts, also after a trim', () => {
  const timing = { kind: 'constant', fps: { num: 1, den: 1 }, frames: 10, startSeconds: -0.977 } as const;
  const startOf = (start: number): number => {
    const output = { ...settleFile({ format: 'flac' }), trim: { start } };
    const film = trim.plan?.({ output } as EditRequest, { timing } as VideoPlan);
    return cueWindows(film as VideoPlan, [], [], { aloneStart: 0 }).whole.sound.start;
  };
  expect([0, 3].map(startOf)).toEqual([expect.closeTo(-0.977, 9), expect.closeTo(2.023, 9)]);
});
