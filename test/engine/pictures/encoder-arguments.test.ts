import { expect, test } from 'vitest';
import { encoderArguments } from '../../../engine/pictures/encoder-arguments.ts';
import { lowestFullness } from '../../../engine/pictures/rate-buffer.ts';
import type { VideoPlan } from '../../../engine/plan/video-plan.ts';
import { useFolder } from '../../support/folder.ts';
import { picturePackets } from '../../support/films.ts';
import { makeMedia, probe } from '../../support/media-files.ts';

const folder = useFolder();

/** Noise: each picture needs about as many bytes at one rate. */
const noise = ['-f', 'lavfi', '-i', 'nullsrc=s=128x96:r=25:d=2.4,geq=random(1)*255:128:128,format=yuv420p'];

/** Bytes of each picture, in the order of the file. */
async function sizesOf(path: string): Promise<number[]> {
  const { packets } = (await probe(path, '-show_packets')) as { packets: { size: string }[] };
  return packets.map(({ size }) => Number(size));
}

test.each(['h264', 'hevc'] as const)(
  'gives a scene its own rate from its first to its last picture in %s',
  async (codec) => {
    const plan = {
      ...{ codec, speed: 'fast', pixelFormat: 'yuv420p', threads: 1, crf: 30 },
      timing: { kind: 'constant', fps: { num: 25, den: 1 }, frames: 60, startSeconds: 0 },
      scenes: [
        { from: 0, to: 20, crf: 30 },
        { from: 20, to: 40, crf: 42 },
        { from: 40, to: 60, crf: 30 },
      ],
    } as unknown as VideoPlan;
    // Without B-frames, the order of the file is that of display.
    const path = await makeMedia(folder, `${codec}.mp4`, ...noise, ...encoderArguments(plan), '-bf', '0');
    const sizes = await sizesOf(path);
    const most = Math.max(...sizes.slice(1));
    const small = sizes.flatMap((size, index) => (size < most / 2 ? [index] : []));
    expect(small).toEqual(Array.from({ length: 20 }, (_, index) => 20 + index));
  },
);

test.each([
  [1, '1'],
  [3, '2'],
  [6, '2'],
])(
  'x265 with a pool of %i threads encodes at most two pictures at a time, so that it repeats itself',
  (threads, most) => {
    const plan = {
      ...{ codec: 'hevc', speed: 'fast', pixelFormat: 'yuv420p', threads, crf: 30 },
      timing: { kind: 'constant', fps: { num: 25, den: 1 }, frames: 60, startSeconds: 0 },
    } as unknown as VideoPlan;
    const args = encoderArguments(plan);
    expect(args[args.indexOf('-threads') + 1]).toBe(most);
    expect(args[args.indexOf('-x265-params') + 1]).toContain(`:pools=${threads}`);
  },
);

/** Plan of pictures at these milliseconds. */
const varied = (stamps: readonly number[], plan: object): VideoPlan =>
  ({
    ...{ speed: 'fast', pixelFormat: 'yuv420p', threads: 1, crf: 30, shape: { size: { width: 128, height: 96 } } },
    timing: {
      ...{ kind: 'variable', timeBase: { num: 1, den: 1000 }, stamps },
      ...{ startTicks: 0, endTicks: (stamps.at(-1) ?? 0) + 40 },
    },
    ...plan,
  }) as unknown as VideoPlan;

/** Input of as many pictures, whose rate is declared as 1000 a second, at times of this expression of their number. */
const declared1000 = (pictures: number, milliseconds: string, filter: string): string[] => [
  ...['-f', 'lavfi', '-i', `color=gray:s=128x96:r=1000:d=${pictures / 1000},${filter},format=yuv420p`],
  ...['-vf', `setpts='${milliseconds}'`, '-fps_mode', 'passthrough'],
];

const grain = 'noise=alls=60:allf=t';

test.each([
  ['a bitrate of HEVC', 'hevc', { bitrate: 400, crf: undefined }],
  ['a capped HEVC', 'hevc', { crf: 10, maxBitrate: 400 }],
  ['a bitrate of H.264', 'h264', { bitrate: 400, crf: undefined }],
])('gives %s of a variable rate the bits and level of a constant one, whatever the file declares', async (...row) => {
  const [, codec, rate] = row;
  const stamps = Array.from({ length: 100 }, (_, index) => 40 * index + (index % 3));
  const plan = varied(stamps, { codec, ...rate });
  const constant = { ...plan, timing: { kind: 'constant', fps: { num: 25, den: 1 }, frames: 100, startSeconds: 0 } };
  const film = ['-f', 'lavfi', '-i', `color=gray:s=128x96:r=25:d=4,${grain},format=yuv420p`];
  const plain = await makeMedia(folder, 'constant.mkv', ...film, ...encoderArguments(constant as VideoPlan));
  const source = declared1000(100, '40*N+mod(N\\,3)', grain);
  const path = await makeMedia(folder, 'variable.mkv', ...source, ...encoderArguments(plan));
  const bytesOf = async (file: string): Promise<number> => (await sizesOf(file)).reduce((sum, size) => sum + size, 0);
  const [bytes, wanted] = [await bytesOf(path), await bytesOf(plain)];
  expect(Math.abs(bytes / wanted - 1)).toBeLessThan(0.15);
  const levelOf = async (file: string): Promise<unknown> => await probe(file, '-show_entries', 'stream=level');
  expect(await levelOf(path)).toEqual(await levelOf(plain));
  expect((await picturePackets(path)).map(({ time }) => Math.round(time * 1000))).toEqual(stamps);
});

/** Lowest fullness of the buffer of a film without B-frames. */
async function lowestOf(path: string, maxBitrate: number): Promise<number> {
  const times = (await picturePackets(path)).map(({ time }) => time);
  return lowestFullness(await sizesOf(path), times, maxBitrate);
}

test.each([
  ['HEVC', 'pictures after a pause', { codec: 'hevc', maxBitrate: 400 }, [10, 1000, 100, 17]],
  ['HEVC', 'three seconds after a pause of minutes', { codec: 'hevc', maxBitrate: 87 }, [1, 510_000, 180, 17]],
  ['H.264', 'slides of ten seconds', { codec: 'h264', maxBitrate: 50 }, [20, 10_000, 0, 0]],
  ['H.264', 'pictures after slides of a minute', { codec: 'h264', maxBitrate: 200 }, [3, 60_000, 30, 200]],
] as const)('keeps %s within its cap in %s', async (_codec, _film, settings, [sparse, pause, dense, step]) => {
  const stamps = Array.from({ length: sparse + dense }, (_, n) =>
    n < sparse ? pause * n : pause * sparse + step * (n - sparse),
  );
  const times = String.raw`if(lt(N\,${sparse})\,${pause}*N\,${pause * sparse}+${step}*(N-${sparse}))`;
  const source = declared1000(stamps.length, times, grain);
  const plan = varied(stamps, { ...settings, crf: 10 });
  const path = await makeMedia(folder, 'burst.mkv', ...source, ...encoderArguments(plan), '-bf', '0');
  expect(await lowestOf(path, settings.maxBitrate)).toBeGreaterThan(0);
});

test.each([
  ['h264', 50],
  ['hevc', 20],
] as const)('keeps %s within its cap at a picture every ten seconds', async (codec, maxBitrate) => {
  const timing = { kind: 'constant', fps: { num: 1, den: 10 }, frames: 20, startSeconds: 0 };
  const plan = varied([], { codec, crf: 10, maxBitrate, timing });
  const film = ['-f', 'lavfi', '-i', `color=gray:s=128x96:r=1/10:d=200,${grain},format=yuv420p`];
  const path = await makeMedia(folder, `${codec}.mkv`, ...film, ...encoderArguments(plan), '-bf', '0');
  expect(await lowestOf(path, maxBitrate)).toBeGreaterThan(0);
});

test.each(['h264', 'hevc', 'av1', 'vp9'] as const)(
  'places key frames of %s ten seconds apart at a variable rate, and one after a longer pause',
  async (codec) => {
    // Three pictures a second, a pause to 58 s, and 30 pictures a second.
    const stamps = Array.from({ length: 190 }, (_, n) => (n < 100 ? 333 * n + (n % 2) : 58_000 + 33 * (n - 100)));
    const source = declared1000(190, String.raw`if(lt(N\,100)\,333*N+mod(N\,2)\,58000+33*(N-100))`, 'null');
    const container = codec === 'vp9' ? 'webm' : 'mkv';
    const path = await makeMedia(
      folder,
      `${codec}.${container}`,
      ...source,
      ...encoderArguments(varied(stamps, { codec })),
    );
    const packets = await picturePackets(path);
    expect(packets.flatMap(({ time, isKey }) => (isKey ? [time] : []))).toEqual([0, 10.324, 20.646, 30.97, 58]);
  },
);

test.each(['h264', 'hevc', 'av1', 'vp9'] as const)(
  'places a key frame of %s in each requested interval at a variable rate, and only one after a pause',
  async (codec) => {
    const stamps = Array.from({ length: 60 }, (_, n) => (n < 20 ? 100 * n : 60_040 + 100 * (n - 20)));
    const source = declared1000(60, String.raw`if(lt(N\,20)\,100*N\,60040+100*(N-20))`, 'null');
    const plan = varied(stamps, { codec, keyframeSeconds: 0.7 });
    const path = await makeMedia(
      folder,
      `every.${codec === 'vp9' ? 'webm' : 'mkv'}`,
      ...source,
      ...encoderArguments(plan),
    );
    const keys = (await picturePackets(path)).flatMap(({ time, isKey }) => (isKey ? [time] : []));
    expect(keys).toEqual([0, 0.7, 1.4, 60.04, 60.24, 60.94, 61.64, 62.34, 63.04, 63.74]);
  },
);
