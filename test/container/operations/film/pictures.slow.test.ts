import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { builtInPresets } from '../../../../contract/presets.ts';
import { TestContainer } from '../../../support/container.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  motion,
  pictureHashes,
  picturePackets,
  plainScaler,
  quickH264,
  tone,
} from '../../../support/films.ts';
import { words } from '../../../support/media-files.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';

const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const fast = { codec: 'h264', speed: 'fast' } as const;

test.each(
  rowsExcept(
    ['mp4 with eac3', 'mov with aac', 'mkv with mp3', 'mkv with ac3'],
    [
      ['mp4 with aac', 'mp4', 'aac'],
      ['mp4 with eac3', 'mp4', 'eac3'],
      ['mov with aac', 'mov', 'aac'],
      ['mkv with opus', 'mkv', 'opus'],
      // These encoders add silent samples, which ffmpeg 5.1 does not declare in Matroska.
      ['mkv with aac', 'mkv', 'aac'],
      ['mkv with mp3', 'mkv', 'mp3'],
      ['mkv with mp2', 'mkv', 'mp2'],
      ['mkv with ac3', 'mkv', 'ac3'],
    ],
  ),
)('keeps picture and sound of an %s within a millisecond of each other', async (_, container, codec) => {
  await make('clap.mkv', ...clapFilm(4), ...quickH264, '-c:a', 'pcm_s16le');
  await encoded('clap.mkv', [{ container, video: fast, audio: { codec } }]);
  const path = outputFile('clap.mkv');
  const [flashes, clicks] = [await flashesOf(path), await clicksOf(path)];
  expect(flashes).toEqual([0.48, 1.48, 2.48, 3.48]);
  expect(clicks.map((click, index) => Math.abs(click - (flashes[index] ?? NaN)) <= 0.001)).toEqual([
    true,
    true,
    true,
    true,
  ]);
});

test('keeps sound in step that begins before or after the pictures', async () => {
  await make('clap.mkv', ...clapFilm(4), ...quickH264, '-c:a', 'pcm_s16le');
  for (const [name, offset] of [
    ['early', '-0.337'],
    ['late', '0.251'],
  ] as const) {
    const source = ['-i', service.file('clap.mkv'), '-itsoffset', offset, '-i', service.file('clap.mkv')];
    await make(`${name}.mkv`, ...source, '-map', '0:v', '-map', '1:a', '-c', 'copy', '-t', '4');
    await encoded(`${name}.mkv`, [{ container: 'mp4', video: fast }]);
    const path = outputFile(`${name}.mkv`);
    const [flash = NaN] = await flashesOf(path);
    const [click = NaN] = await clicksOf(path);
    expect(Math.abs(click - flash - Number(offset)), name).toBeLessThanOrEqual(0.001);
    expect((await picturePackets(path))[0]?.time, name).toBe(0);
  }
});

test('writes and reports a level, and rejects pictures that exceed it', async () => {
  await make('levels.mp4', ...motion(1, '50', '640x360'), ...quickH264);
  const h264 = { container: 'mp4', video: { ...fast, level: '3.0', fps: 25 } } as const;
  const hevc = { container: 'mp4', video: { codec: 'hevc', speed: 'fast', level: '3.1' } } as const;
  const answer = await encode('levels.mp4', [h264, hevc]);
  expect(answer.body).toMatchObject({
    outputs: [
      { streams: [{ profile: 'High', level: '3' }] },
      { streams: [{ profile: 'Main', level: expect.stringMatching(/^(?:3|3.1)$/) }] },
    ],
  });
  const levelOf = async (index: number) => {
    const { streams } = (await probeAll(outputFile('levels.mp4', index))) as unknown as {
      streams: { level: number }[];
    };
    return streams[0]?.level ?? NaN;
  };
  expect(await levelOf(0)).toBe(30);
  expect(await levelOf(1)).toBeLessThanOrEqual(93);
  const errorOf = async (video: DescribedOutput['video']) =>
    (await encode('levels.mp4', [{ container: 'mp4', video }])).body as { code: string; error: string };
  expect(await errorOf({ ...fast, level: '3' })).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining(
      'level 3 of h264 is too low for 50 pictures a second of 640x360 pixels; use level 3.1',
    ),
  });
  expect(await errorOf({ ...fast, level: '3.3' })).toMatchObject({
    error: expect.stringContaining('the levels of h264 are 1,'),
  });
  expect(await errorOf({ codec: 'av1', level: '4' })).toMatchObject({
    error: expect.stringContaining('Holdfast encodes av1 without a level'),
  });
  const copy = { container: 'mp4', video: { copy: true, level: '2', width: 160, fps: 25 } } as const;
  const copied = await encode('levels.mp4', [copy, { ...copy, video: { copy: true, level: '4.1' } }]);
  expect(copied.body).toMatchObject({
    outputs: [
      { streams: [{ notCopied: "the source's pictures are of level 3.1 of h264" }] },
      { streams: [{ copied: true, level: '3.1' }] },
    ],
  });
});

test('keeps a variable frame rate, or makes it constant on request', async () => {
  const gaps = "select='not(eq(mod(n,7),3))',setpts=PTS+0.004*mod(N\\,3)/TB";
  await make(
    'phone.mp4',
    ...motion(3, '30'),
    '-vf',
    gaps,
    ...words('-fps_mode vfr -video_track_timescale 90000'),
    ...quickH264,
  );
  const wanted = (await picturePackets(service.file('phone.mp4'))).map(({ time }) => time);
  const answer = await encode('phone.mp4', [
    { container: 'mp4', video: fast },
    { container: 'mp4', video: { ...fast, fps: 25, keyframeInterval: 1 } },
    { container: 'mp4', video: { codec: 'hevc', speed: 'fast', keyframeInterval: 1 } },
    { container: 'webm', video: { codec: 'vp9', speed: 'fast', keyframeInterval: 1 } },
    { container: 'mp4', video: { codec: 'av1', speed: 'fast', keyframeInterval: 1 } },
  ]);
  expect(answer.body).toMatchObject({ success: true });
  const kept = await picturePackets(outputFile('phone.mp4', 0));
  expect(kept.map(({ time }) => time)).toEqual(wanted);
  const grid = await picturePackets(outputFile('phone.mp4', 1));
  expect(grid.map(({ time }) => time)).toEqual(Array.from({ length: 75 }, (_, index) => index / 25));
  expect(grid.flatMap(({ time, isKey }) => (isKey ? [time] : []))).toEqual([0, 1, 2]);
  // A key frame is the first picture after each second.
  const next = [0, 1, 2].map((second) => wanted.find((time) => time >= second) ?? NaN);
  for (const index of [2, 3, 4]) {
    const keys = (await picturePackets(outputFile('phone.mp4', index))).flatMap(({ time, isKey }) =>
      isKey ? time : [],
    );
    expect(keys.map((time, place) => Math.abs(time - (next[place] ?? NaN)) <= 0.0005)).toEqual([true, true, true]);
  }
});

test('writes metadata, chapters and loudness beside pictures', async () => {
  await make('told.mkv', ...clapFilm(3), ...quickH264, '-c:a', 'pcm_s16le', '-metadata', 'title=Old');
  const chapters = [
    { start: 0, title: 'One' },
    { start: 1.5, title: 'Two' },
  ];
  const described = { metadata: { artist: 'Us' }, chapters, loudness: { integrated: -20, truePeak: -2 } };
  const answer = await encode('told.mkv', [
    { container: 'mp4', video: fast, ...described },
    { container: 'mov', video: fast, ...described },
    { container: 'mkv', video: fast, metadata: { artist: 'Us' } },
  ]);
  expect(answer.body).toMatchObject({
    success: true,
    outputs: [{ chapters: 2, loudness: { integrated: expect.closeTo(-20, 0) } }, { chapters: 2 }, {}],
  });
  for (const [index, artistName] of ['artist', 'artist', 'ARTIST'].entries()) {
    const path = outputFile('told.mkv', index);
    expect((await probeAll(path)).format.tags).toMatchObject({ title: 'Old', [artistName]: 'Us' });
    expect(await flashesOf(path)).toEqual([0.48, 1.48, 2.48]);
  }
});

test('rejects an encode that needs too much memory before it begins', async () => {
  const small = await stopAfterTest(TestContainer.start({ MEMORY_LIMIT_BYTES: String(210 * 1024 ** 2) }));
  const path = await make('large.mp4', ...motion(0.2, '25', '1280x720'), ...quickH264);
  await copyFile(path, join(small.mediaRoot, 'large.mp4'));
  const answer = await encode('large.mp4', [{ container: 'mp4', video: fast }], {}, small);
  expect(answer.body).toMatchObject({ code: 'needs_more_memory', details: { memoryLimitBytes: 210 * 1024 ** 2 } });
  expect(answer.status).toBe(422);
});

test.each(
  rowsExcept(
    ['vp8.webm', 'mpeg1.mpg', 'mpeg4.avi', 'mjpeg.mov', 'dnxhr.mov', 'ffv1.mkv'],
    [
      ['h264.mp4', ['-c:v', 'libx264', '-preset', 'ultrafast']],
      ['hevc.mp4', ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', 'log-level=error']],
      ['av1.mp4', ['-c:v', 'libsvtav1', '-preset', '12']],
      ['vp8.webm', ['-c:v', 'libvpx', '-deadline', 'realtime', '-cpu-used', '8']],
      ['vp9.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-cpu-used', '8']],
      ['mpeg1.mpg', ['-c:v', 'mpeg1video']],
      ['mpeg2.ts', ['-c:v', 'mpeg2video']],
      ['mpeg4.avi', ['-c:v', 'mpeg4', '-bf', '2']],
      ['mjpeg.mov', ['-c:v', 'mjpeg']],
      ['dnxhr.mov', ['-c:v', 'dnxhd', '-profile:v', 'dnxhr_lb', '-pix_fmt', 'yuv422p']],
      ['ffv1.mkv', ['-c:v', 'ffv1', '-pix_fmt', 'yuv422p10le']],
      ['prores.mov', ['-c:v', 'prores_ks']],
    ],
  ),
)('decodes the pictures of %s as plain ffmpeg does', async (name, codec) => {
  const source = await make(name, ...motion(1, '25', '256x144'), ...codec);
  await encoded(name, [{ container: 'mkv', video: { ...fast, crf: 1 } }]);
  const scaler = `${plainScaler('256:144')}:out_range=tv,format=yuv420p`;
  const plain = words('-c:v libx264 -preset veryfast -crf 1 -profile:v high -g 250 -threads 1');
  const reference = await make(`plain-${name}.mkv`, '-i', source, '-vf', scaler, '-fps_mode', 'passthrough', ...plain);
  expect(await pictureHashes(outputFile(name))).toEqual(await pictureHashes(reference));
});

/** Presets that bound the size; test/end-to-end/presets.slow.test.ts has the others. */
const filmPresets = Object.entries(builtInPresets).flatMap(([preset, { ...set }]) =>
  'video' in set && !/^(?:social-|deinterlace-|hdr-|hls-)/.test(preset) ? [{ preset }] : [],
);

/** Encodes in groups of 8, the most outputs of a request. */
async function outputsOfPresets(source: string): Promise<EncodeResult['outputs']> {
  const outputs: EncodeResult['outputs'] = [];
  for (let from = 0; from < filmPresets.length; from += 8) {
    outputs.push(...(await encoded(source, filmPresets.slice(from, from + 8))).outputs);
  }
  return outputs;
}

test('makes the pictures of each preset as small as the preset says', async () => {
  await make('wide.mp4', ...motion(0.12, '25', '2048x858'), ...tone(0.12), ...quickH264, '-c:a', 'aac');
  const outputs = await outputsOfPresets('wide.mp4');
  expect(outputs.map(({ preset, container, streams }) => [preset, container, ...(streams ?? [])])).toMatchObject([
    ['web-h264-1080', 'mp4', { width: 1920, height: 804, frames: 3 }, { codec: 'aac', channels: 2 }],
    ['web-h264-720', 'mp4', { width: 1280, height: 536, frames: 3 }, { codec: 'aac', sampleRate: 48_000 }],
    ['web-h264-480', 'mp4', { width: 854, height: 358, frames: 3 }, { codec: 'aac' }],
    ['web-hevc-1080', 'mp4', { codec: 'hevc', width: 1920, height: 804, frames: 3 }, { codec: 'aac' }],
    ['web-av1-1080', 'mp4', { codec: 'av1', width: 1920, height: 804, frames: 3 }, { codec: 'aac' }],
    ['web-vp9-1080', 'webm', { codec: 'vp9', width: 1920, height: 804, frames: 3 }, { codec: 'opus' }],
    ['archive-ffv1', 'mkv', { codec: 'ffv1', width: 2048, height: 858, frames: 3 }, { codec: 'flac', channels: 1 }],
    ['mezzanine-prores', 'mov', { codec: 'prores', width: 2048, height: 858, frames: 3 }, { codec: 'pcm_s24le' }],
    ['proxy-360', 'mp4', { width: 860, height: 360, frames: 3 }, { codec: 'aac' }],
  ]);
});

matrixTest(
  'makes upright pictures without sound as small as each preset says',
  async () => {
    await make('tall.mp4', ...motion(0.12, '25', '858x2048'), ...quickH264);
    const upright = await outputsOfPresets('tall.mp4');
    expect(upright.map(({ streams }) => streams)).toMatchObject([
      [{ width: 804, height: 1920 }],
      [{ width: 536, height: 1280 }],
      [{ width: 358, height: 854 }],
      ...Array.from({ length: 3 }, () => [{ width: 804, height: 1920 }]),
      ...Array.from({ length: 2 }, () => [{ width: 858, height: 2048 }]),
      [{ width: 150, height: 360 }],
    ]);
  },
  240_000,
);

test('never enlarges pictures by a preset, and sets the key frames of a proxy', async () => {
  await make('small.mp4', ...motion(2.4, '25', '320x180'), ...quickH264);
  const answer = await encode('small.mp4', [{ preset: 'web-h264-1080' }, { preset: 'proxy-360' }]);
  expect(EncodeResult.parse(answer.body).outputs.map(({ streams }) => streams)).toMatchObject([
    [{ width: 320, height: 180, frames: 60 }],
    [{ width: 320, height: 180, frames: 60 }],
  ]);
  const keys = (await picturePackets(outputFile('small.mp4', 1))).filter(({ isKey }) => isKey);
  expect(keys.map(({ time }) => time)).toEqual([0, 2]);
});
