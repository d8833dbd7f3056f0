import { expect, test } from 'vitest';
import { encoderArguments } from '../../../engine/pictures/encoder-arguments.ts';
import type { VideoPlan } from '../../../engine/plan/video-plan.ts';
import { useFolder } from '../../support/folder.ts';
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
