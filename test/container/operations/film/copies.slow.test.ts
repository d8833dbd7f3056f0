import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import {
  clapFilm,
  clicksOf,
  flashesOf,
  motion,
  pictureHashes,
  picturePackets,
  quickH264,
  tone,
} from '../../../support/films.ts';
import { expectKind, runPart } from '../../../support/parts.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, make, file, outputFile } = service;

const copied: DescribedOutput = { container: 'mp4', video: { copy: true }, audio: { copy: true } };

async function streamsOf(source: string, output: DescribedOutput) {
  return (await encoded(source, [output])).outputs[0]?.streams ?? [];
}

/** Expects the same pictures at the same times after the first one. */
async function expectSamePictures(source: string, output: string, tolerance = 5e-6): Promise<void> {
  const [own, other] = [await picturePackets(source), await picturePackets(output)];
  const shown = own.filter(({ time }) => time >= (own[0]?.time ?? 0));
  expect(other).toHaveLength(shown.length);
  for (const [index, { time }] of other.entries()) {
    const wanted = (shown[index]?.time ?? NaN) - (shown[0]?.time ?? NaN);
    expect(Math.abs(time - wanted), `picture ${index}`).toBeLessThanOrEqual(tolerance);
  }
  expect(await pictureHashes(output)).toEqual(await pictureHashes(source));
}

/** Makes Matroska with Opus in two steps: ffmpeg 5.1 alone delays the pictures by the 312 silent samples. */
async function makeWithOpus(name: string, args: readonly string[]): Promise<string> {
  const pictures = await make(`${name}.mp4`, ...args, '-an');
  const sound = await make(`${name}.ogg`, ...args, '-vn');
  return await make(name, '-i', pictures, '-itsoffset', '0.0065', '-i', sound, '-c', 'copy');
}

const openGops = ['-c:v', 'libx264', '-bf', '3', '-g', '12', '-x264-params', 'open-gop=1', '-pix_fmt', 'yuv420p'];
const ms = { mkv: 0.00101, mp4: 5e-6 };

test.each<[string, string[], DescribedOutput, object[]]>(
  rowsExcept(
    ['opus.mkv', 'flac.mkv', 'ac3.mp4'],
    [
      [
        'bframes.mp4',
        [...motion(2), ...tone(2), ...quickH264, '-c:a', 'aac'],
        copied,
        [{ copied: true }, { copied: true }],
      ],
      ['open.mkv', [...motion(2, '30000/1001'), ...openGops], copied, [{ copied: true }]],
      [
        'hevc.ts',
        [...motion(2), ...tone(2), '-c:v', 'libx265', '-preset', 'ultrafast', '-c:a', 'aac'],
        copied,
        [{ copied: true }, { copied: true }],
      ],
      [
        'opus.mkv',
        [...motion(2), ...tone(2), ...quickH264, '-c:a', 'libopus'],
        { ...copied, container: 'mkv' },
        [{ copied: true }, { copied: true }],
      ],
      [
        'vp9.webm',
        [...motion(1), ...tone(1), '-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-c:a', 'libopus'],
        { ...copied, container: 'webm' },
        [{ copied: true }, { copied: true }],
      ],
      [
        'flac.mkv',
        [...motion(1), ...tone(1), ...quickH264, '-c:a', 'flac'],
        { ...copied, container: 'mkv' },
        [{ copied: true }, { copied: true }],
      ],
      [
        'ac3.mp4',
        [...motion(1), ...tone(1), ...quickH264, '-c:a', 'ac3'],
        copied,
        [{ copied: true }, { copied: true }],
      ],
      [
        'variable.mp4',
        [...motion(2), '-vf', "select='not(eq(mod(n,7),3))'", '-fps_mode', 'vfr', ...quickH264],
        { ...copied, container: 'mov' },
        [{ copied: true }],
      ],
      // Only the sound is as requested.
      [
        'sound.mp4',
        [...motion(1), ...tone(1), ...quickH264, '-c:a', 'aac'],
        { ...copied, video: { copy: true, width: 80, speed: 'fast' } },
        [{ notCopied: "the source's pictures have 160x90 pixels" }, { copied: true }],
      ],
      // Only the pictures are as requested.
      [
        'pictures.mp4',
        [...motion(1), ...tone(1), ...quickH264, '-c:a', 'aac'],
        { ...copied, audio: { copy: true, channels: 2 } },
        [{ copied: true }, { notCopied: "the source's sound has 1 channels" }],
      ],
    ],
  ),
)(
  'copies the streams of %s that are as requested, with the same pictures at the same times',
  async (name, args, output, streams) => {
    const source = await (args.includes('libopus') ? makeWithOpus(name, args) : make(name, ...args));
    const found = await streamsOf(name, output);
    expect(found).toMatchObject(streams);
    expect(found.map(({ copied: isCopied }) => isCopied)).toEqual(
      streams.map((stream) => ('copied' in stream ? true : undefined)),
    );
    if ('copied' in (streams[0] ?? {})) {
      const isRounded = output.container === 'mkv' || output.container === 'webm' || name.endsWith('.mkv');
      await expectSamePictures(source, outputFile(name), isRounded ? ms.mkv : ms.mp4);
    }
  },
);

/** ffmpeg's own Matroska begins sound at 0, and pictures later by the encoder's delay. */
test.each<[string, string[], string, ('copied' | 'encoded')[]]>(
  rowsExcept(
    ['vp9.webm', 'aac.mp4', 'pcm.mkv', 'aac.flv', 'ac3.ts', 'eac3.mp4'],
    [
      ['aac.mkv', ['-c:a', 'aac'], 'mp4', ['copied', 'copied']],
      ['aac.flv', ['-c:a', 'aac'], 'mp4', ['copied', 'copied']],
      ['vp9.webm', ['-c:v', 'libvpx-vp9', '-deadline', 'realtime', '-c:a', 'libopus'], 'mkv', ['copied', 'copied']],
      ['aac.mp4', ['-c:a', 'aac'], 'mkv', ['copied', 'copied']],
      ['ac3.ts', ['-c:a', 'ac3'], 'mkv', ['copied', 'copied']],
      ['eac3.ts', ['-c:a', 'eac3'], 'mp4', ['copied', 'copied']],
      ['eac3.mp4', ['-c:a', 'eac3'], 'mkv', ['copied', 'copied']],
      ['pcm.mkv', ['-c:a', 'pcm_s16le'], 'mov', ['copied', 'copied']],
      // Sound that is encoded again is cut where the copied pictures begin.
      ['mp3.mkv', ['-c:a', 'libmp3lame'], 'mp4', ['copied', 'encoded']],
    ],
  ),
)('copies %s with picture and sound in step to a millisecond', async (name, codecs, container, streams) => {
  const source = await make(`claps-${name}`, ...clapFilm(2), ...quickH264, '-g', '25', ...codecs);
  const found = await streamsOf(`claps-${name}`, { ...copied, container });
  expect(found.map(({ copied: isCopied }) => (isCopied === true ? 'copied' : 'encoded'))).toEqual(streams);
  const path = outputFile(`claps-${name}`);
  expect(await pictureHashes(path)).toEqual(await pictureHashes(source));
  const [flashes, clicks] = [await flashesOf(path), await clicksOf(path)];
  const [before, heard] = [await flashesOf(source), await clicksOf(source)];
  expect(flashes).toHaveLength(2);
  for (const [index, flash] of flashes.entries()) {
    const [own, wanted] = [(clicks[index] ?? NaN) - flash, (heard[index] ?? NaN) - (before[index] ?? NaN)];
    expect(Math.abs(own - wanted), `clap ${index}`).toBeLessThanOrEqual(0.001);
  }
});

test('does not spread pictures that are copied beside early sound', async () => {
  const [pictures, sound] = [motion(8), tone(8)];
  await make('early.mkv', '-itsoffset', '0.03', ...pictures, ...sound, ...quickH264, '-g', '25', '-c:a', 'flac');
  const plan = { kind: 'plan', leastSeconds: 0, segments: 4, segmentSeconds: { least: 2, most: 2 } } as const;
  const place = { sourceUrl: service.container.fileUrl('early.mkv'), folder: 'out/plan' };
  const output: DescribedOutput = { container: 'mp4', video: { copy: true }, audio: { codec: 'aac', bitrate: 128 } };
  const planned = await runPart(service.container, place, [output], plan);
  expect(planned.part).toEqual({ kind: 'whole', reason: 'its pictures are copied' });
  expect(await streamsOf('early.mkv', output)).toMatchObject([{ copied: true }, { codec: 'aac' }]);
  // Whatever is encoded is spread.
  const scaled = { ...output, video: { copy: true, width: 80, speed: 'fast' } } as const;
  expectKind(await runPart(service.container, place, [scaled], plan), 'plan');
});

test('copies the pictures even if the sound cannot be copied, and says why', async () => {
  await make('loud.mkv', ...motion(1), ...tone(1), ...quickH264, '-c:a', 'aac', '-b:a', '128k');
  const [video, audio] = await streamsOf('loud.mkv', { ...copied, audio: { copy: true, bitrate: 24 } });
  expect(video).toMatchObject({ copied: true });
  expect(audio).toMatchObject({ notCopied: expect.stringMatching(/more than 24 kbit/) });
});

test('copies late sound into its place in Matroska', async () => {
  const film = clapFilm(2);
  const [pictures, sound] = [film.slice(0, 4), film.slice(4)];
  await make('late-claps.mp4', ...pictures, '-itsoffset', '0.3', ...sound, ...quickH264, '-c:a', 'aac');
  const found = await streamsOf('late-claps.mp4', { ...copied, container: 'mkv' });
  expect(found).toMatchObject([{ copied: true }, { copied: true }]);
  const path = outputFile('late-claps.mp4');
  expect(await flashesOf(path)).toEqual([0.48, 1.48]);
  for (const [index, click] of (await clicksOf(path)).entries())
    expect(Math.abs(click - 0.78 - index)).toBeLessThan(0.001);
});

test('encodes what a copy would show wrongly, and says why', async () => {
  const film = await make('film.mp4', ...motion(3), ...tone(3), ...quickH264, '-g', '25', '-c:a', 'aac');
  // This edit list begins in the middle of a group of pictures.
  await make('edited.mp4', '-ss', '0.6', '-i', film, '-c', 'copy');
  await make('turned.mp4', '-i', film, '-c', 'copy', '-metadata:s:v', 'rotate=90');
  const video = { copy: true, speed: 'fast' } as const;
  /** Reasons of the pictures and of the sound of each output; one job makes all of them. */
  const reasonsOf = async (name: string, ...outputs: Partial<DescribedOutput>[]) =>
    (
      await encoded(
        name,
        outputs.map((output) => ({ ...copied, video, ...output })),
      )
    ).outputs.map(({ streams = [] }) => streams.map(({ notCopied }) => notCopied));
  const [inMp4, inMkv] = await reasonsOf('edited.mp4', {}, { container: 'mkv' });
  expect(inMp4?.[0]).toMatch(/hides pictures by an edit list/);
  // `mp4` can hide the beginning of sound; `mkv` cannot.
  expect(inMp4?.[1]).toBeUndefined();
  expect(inMkv?.[1]).toMatch(/hides the beginning of its sound/);
  expect((await reasonsOf('turned.mp4', {}))[0]?.[0]).toMatch(/turned/);
  const [bitrate, keys, equal, codec] = await reasonsOf(
    'film.mp4',
    { video: { ...video, maxBitrate: 20 } },
    { video: { ...video, keyframeInterval: 0.5 } },
    { video: { ...video, keyframeInterval: 1, maxBitrate: 50_000, fps: 25, codec: 'h264', width: 160 } },
    { video: { ...video, codec: 'hevc', width: 80 } },
  );
  expect(bitrate?.[0]).toMatch(/maxBitrate of 20 kbit/);
  expect(keys?.[0]).toMatch(/key frames/);
  expect(equal?.[0]).toBeUndefined();
  expect(codec?.[0]).toMatch(/h264/);
  expect((await picturePackets(outputFile('film.mp4', 3))).length).toBe(75);
});

test('copies HDR10 without a codec in the request, and rejects it if it would have to be encoded', async () => {
  const hdr = 'log-level=error:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc';
  const encoder = ['-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', hdr, '-pix_fmt', 'yuv420p10le'];
  const source = await make('hdr.mkv', ...motion(1), ...encoder);
  const video = { copy: true } as const;
  expect(await streamsOf('hdr.mkv', { container: 'mp4', video })).toMatchObject([{ codec: 'hevc', copied: true }]);
  await expectSamePictures(source, outputFile('hdr.mkv'), ms.mkv);
  const { body } = await encode('hdr.mkv', [{ container: 'mp4', video: { ...video, width: 64 } }]);
  expect(body).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringMatching(/dynamic range .*160x90 pixels/),
  });
});

test('rejects a copy of half a film, or of sound alone', async () => {
  const whole = await readFile(await make('whole.mkv', ...motion(10), ...tone(10), ...quickH264, '-c:a', 'libopus'));
  await writeFile(file('half.mkv'), whole.subarray(0, whole.length / 2));
  const half = await encode('half.mkv', [{ ...copied, container: 'mkv' }]);
  expect(half.body).toMatchObject({ code: 'source_truncated' });
  await service.expectNothingUploaded('half.mkv');
  const answer = await encode('music.wav', [{ container: 'm4a', audio: { copy: true } }]);
  expect(answer.body).toMatchObject({ code: 'unsupported_format', error: expect.stringContaining('beside pictures') });
});
