import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  motion,
  pictureHashes,
  picturePackets,
  pictureTimes,
  plainScaler,
  quickH264,
} from '../../../support/films.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';

// Each codec besides H.264, in each container that holds it.

const service = await useEncodes();
const { encoded, make, outputFile } = service;

const scale = plainScaler('160:90');

const x265 = (more = ''): string[] => [
  ...['-c:v', 'libx265', '-preset', 'veryfast', '-threads', '1', '-forced-idr', '1', '-flags:v', '+cgop'],
  ...['-x265-params', `log-level=error:info=0:open-gop=0:pools=1${more}`],
];
const vp9 = ['-c:v', 'libvpx-vp9', '-deadline', 'good', '-cpu-used', '5', '-b:v', '0', '-row-mt', '1', '-threads', '2'];
const svt = ['-c:v', 'libsvtav1', '-preset', '10', '-svtav1-params', 'lp=1'];
const ffv1 = ['-c:v', 'ffv1', '-level', '3', '-g', '1'];

const rows = rowsExcept<[string, DescribedOutput, string[], object]>(
  ['hevc in mp4', 'av1 in mkv', 'vp9 of 4:2:2 in webm, with Vorbis', 'prores of 4:4:4 in mkv'],
  [
    [
      'hevc in mp4',
      { container: 'mp4', video: { codec: 'hevc', speed: 'fast' } },
      [...x265(), '-crf', '25', '-g', '250', '-pix_fmt', 'yuv420p'],
      { codec_name: 'hevc', codec_tag_string: 'hvc1', profile: 'Main', pix_fmt: 'yuv420p' },
    ],
    [
      'hevc of 10 bits in mov, with a key frame each second',
      {
        container: 'mov',
        video: { codec: 'hevc', speed: 'fast', crf: 28, pixelFormat: 'yuv420p10le', keyframeInterval: 1 },
      },
      [...x265(':min-keyint=25:scenecut=0'), '-crf', '28', '-g', '25', '-pix_fmt', 'yuv420p10le'],
      { codec_name: 'hevc', codec_tag_string: 'hvc1', profile: 'Main 10', pix_fmt: 'yuv420p10le' },
    ],
    [
      'hevc of 4:2:2 in mkv, with a capped bitrate',
      {
        container: 'mkv',
        video: { codec: 'hevc', speed: 'fast', crf: 20, maxBitrate: 300, pixelFormat: 'yuv422p10le' },
      },
      [...x265(), '-crf', '20', '-maxrate', '300k', '-bufsize', '600k', '-g', '250', '-pix_fmt', 'yuv422p10le'],
      { codec_name: 'hevc', profile: 'Rext', pix_fmt: 'yuv422p10le' },
    ],
    [
      'av1 in mp4, with a key frame each second',
      { container: 'mp4', video: { codec: 'av1', speed: 'fast', keyframeInterval: 1 } },
      [...svt, '-crf', '34', '-g', '25', '-pix_fmt', 'yuv420p'],
      { codec_name: 'av1', codec_tag_string: 'av01', profile: 'Main', pix_fmt: 'yuv420p' },
    ],
    [
      'av1 of 10 bits in webm',
      { container: 'webm', video: { codec: 'av1', speed: 'fast', crf: 40, pixelFormat: 'yuv420p10le' } },
      [...svt, '-crf', '40', '-g', '250', '-pix_fmt', 'yuv420p10le'],
      { codec_name: 'av1', profile: 'Main', pix_fmt: 'yuv420p10le' },
    ],
    [
      'av1 in mkv',
      { container: 'mkv', video: { codec: 'av1', speed: 'fast' } },
      [...svt, '-crf', '34', '-g', '250', '-pix_fmt', 'yuv420p'],
      { codec_name: 'av1', profile: 'Main', pix_fmt: 'yuv420p' },
    ],
    [
      'vp9 in webm, with a key frame each second',
      { container: 'webm', video: { codec: 'vp9', speed: 'fast', keyframeInterval: 1 } },
      [...vp9, '-crf', '33', '-g', '25', '-keyint_min', '25', '-pix_fmt', 'yuv420p'],
      { codec_name: 'vp9', profile: 'Profile 0', pix_fmt: 'yuv420p' },
    ],
    [
      'vp9 of 10 bits in mkv, with Vorbis',
      {
        container: 'mkv',
        video: { codec: 'vp9', speed: 'fast', pixelFormat: 'yuv420p10le' },
        audio: { codec: 'vorbis', quality: 5 },
      },
      [...vp9, '-crf', '33', '-g', '250', '-pix_fmt', 'yuv420p10le'],
      { codec_name: 'vp9', profile: 'Profile 2', pix_fmt: 'yuv420p10le' },
    ],
    [
      'vp9 of 4:2:2 in webm, with Vorbis',
      {
        container: 'webm',
        video: { codec: 'vp9', speed: 'fast', pixelFormat: 'yuv422p' },
        audio: { codec: 'vorbis', quality: 5 },
      },
      [...vp9, '-crf', '33', '-g', '250', '-pix_fmt', 'yuv422p'],
      { codec_name: 'vp9', profile: 'Profile 1', pix_fmt: 'yuv422p' },
    ],
    [
      'prores in mov, with PCM',
      { container: 'mov', video: { codec: 'prores' }, audio: { codec: 'pcm', bitDepth: 24 } },
      ['-c:v', 'prores_ks', '-profile:v', '3', '-pix_fmt', 'yuv422p10le'],
      { codec_name: 'prores', codec_tag_string: 'apch', profile: 'HQ', pix_fmt: 'yuv422p10le' },
    ],
    [
      'prores of 4:4:4 in mkv',
      { container: 'mkv', video: { codec: 'prores', pixelFormat: 'yuv444p10le' } },
      ['-c:v', 'prores_ks', '-profile:v', '4', '-pix_fmt', 'yuv444p10le'],
      { codec_name: 'prores', profile: '4444', pix_fmt: 'yuv444p12le' },
    ],
    [
      'ffv1 in mkv, with FLAC',
      { container: 'mkv', video: { codec: 'ffv1' }, audio: { codec: 'flac' } },
      [...ffv1, '-pix_fmt', 'yuv420p'],
      { codec_name: 'ffv1', pix_fmt: 'yuv420p' },
    ],
  ],
);

/** A moving film with a flash and a click each second. */
const movingClap = (seconds: number): string[] => {
  const [, , , , ...sound] = clapFilm(seconds);
  const flash = "lutyuv=y=val/3,drawbox=c=white:t=fill:enable='eq(mod(n,25),12)'";
  return ['-f', 'lavfi', '-i', `testsrc2=s=160x90:r=25:d=${seconds},${flash}`, ...sound];
};

const half = rows.length / 2;
const sources = ['clap-1.mkv', 'clap-2.mkv'];
const sourceOf = (row: number): string => sources[Math.floor(row / half)] ?? '';

test.each(sources)('makes several kinds of films from one decode of %s', async (source) => {
  await make(source, ...movingClap(1.6), ...quickH264, '-c:a', 'pcm_s16le');
  const asked = rows.flatMap(([, output], row) => (sourceOf(row) === source ? [output] : []));
  const { outputs } = await encoded(source, asked);
  expect(outputs.map(({ streams }) => streams?.map(({ kind }) => kind))).toEqual(asked.map(() => ['video', 'audio']));
});

test.each(rows.map((row, index) => [...row, index] as const))(
  'makes %s with the pictures of plain ffmpeg, in step with their sound',
  async (_name, { container }, plain, stream, index) => {
    const path = outputFile(sourceOf(index), index % half);
    expect((await probeAll(path)).streams[0]).toMatchObject(stream);
    const options = ['-an', '-vf', scale, '-fps_mode', 'passthrough', ...plain];
    const reference = await make(`plain-${index}.mkv`, '-i', service.file(sourceOf(index)), ...options);
    expect(await pictureHashes(path)).toEqual(await pictureHashes(reference));
    const [packets, wanted] = [await picturePackets(path), await picturePackets(reference)];
    const tolerance = container === 'mkv' || container === 'webm' ? 0.0005 : 1e-6;
    expect(packets.every(({ time }, picture) => Math.abs(time - picture / 25) <= tolerance)).toBe(true);
    expect(packets.map(({ isKey }) => isKey)).toEqual(wanted.map(({ isKey }) => isKey));
    expect(packets).toHaveLength(40);
    const [flashes, clicks] = [await flashesOf(path), await clicksOf(path)];
    expect(flashes).toEqual([0.48, 1.48]);
    expect(flashes.map((flash, place) => Math.abs(flash - (clicks[place] ?? NaN)) <= 0.001)).toEqual([true, true]);
  },
);

matrixTest('makes HEVC and AV1 of key frames alone, in the usual profile', async () => {
  await make('keys.mkv', ...motion(0.5, '10'), ...quickH264);
  const every = { fps: 10, keyframeInterval: 0.1, speed: 'fast' } as const;
  await encoded('keys.mkv', [
    { container: 'mp4', video: { codec: 'hevc', ...every } },
    { container: 'mp4', video: { codec: 'av1', ...every } },
  ]);
  for (const index of [0, 1]) {
    const path = outputFile('keys.mkv', index);
    expect((await probeAll(path)).streams).toMatchObject([{ profile: 'Main' }]);
    expect((await picturePackets(path)).map(({ isKey }) => isKey)).toEqual([true, true, true, true, true]);
  }
});

test.each(
  rowsExcept(
    ['a variable rate that declares 1000'],
    [
      ['300 pictures a second', 'rapid.mp4', [...motion(0.1, '300'), ...quickH264], 30],
      [
        'a variable rate that declares 1000',
        'varying.mkv',
        [
          ...motion(0.5, '1000'),
          '-vf',
          String.raw`select=not(mod(n\,17))+not(mod(n\,23))`,
          '-fps_mode',
          'vfr',
          ...quickH264,
        ],
        50,
      ],
    ],
  ),
)('makes AV1 of %s', async (_, source, args, count) => {
  await make(source, ...args);
  await encoded(source, [{ container: 'mp4', video: { codec: 'av1', speed: 'fast' } }]);
  expect(await pictureTimes(outputFile(source))).toHaveLength(count);
});

// ffprobe states no durations of such pictures.
test('states the rate and the length of a film of 1000 pictures per second', async () => {
  await make('fast.mkv', ...motion(0.125, '1000'), ...quickH264);
  const { outputs } = await encoded('fast.mkv', [{ container: 'mkv', video: { codec: 'h264' } }]);
  expect(outputs).toMatchObject([{ duration: 0.125, streams: [{ frames: 125, fps: 1000 }] }]);
});
