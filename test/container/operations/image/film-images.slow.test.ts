import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import { EncodeResult } from '../../../../contract/http/encode.ts';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { cropGray, grayPictures, nearestPicture } from './picture-colours.ts';
import { probe, sha256Of } from '../../../support/media-files.ts';
import { motion, quickH264, tone } from '../../../support/films.ts';
import { matrixTest, rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { file, make } = service;

/** Size of compared pictures: small enough to compare with a whole film, large enough to distinguish them. */
const size = { width: 160, height: 90 };

/** Encodes to `out/<source>/<index>`, which is a folder for an output of several files. */
async function encodeTo(source: string, outputs: DescribedOutput[]) {
  const { container } = service;
  const isSeveral = ({ image }: DescribedOutput): boolean => image === 'thumbnails' || image === 'storyboard';
  const place = (index: number): string => `out/${source}/${index}`;
  const jobId = await container.submit('/encode', {
    sourceUrl: container.fileUrl(source),
    outputs: outputs.map((output, index) => ({
      ...output,
      ...(isSeveral(output) ? { deliver: 'on_demand' } : { uploadUrl: container.fileUrl(place(index)) }),
    })),
  });
  await container.untilJob(jobId, 'wanted files', (job) => job.state !== 'running' || (job.wanted ?? []).length > 0);
  const job = await container.job(jobId);
  const wanted = job.state === 'running' ? (job.wanted ?? []) : [];
  const urls = wanted.map(({ output, name }) => ({ output, name, url: container.fileUrl(`${place(output)}/${name}`) }));
  await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls });
  const ended = await container.untilEnded(jobId);
  if (ended.state !== 'succeeded') throw new Error(JSON.stringify(ended));
  return { outputs: EncodeResult.parse(ended.result).outputs, place: (index: number) => file(place(index)) };
}

const cueLine = /^(\d\d):(\d\d):(\d\d\.\d{3}) --> (\d\d):(\d\d):(\d\d\.\d{3})\n(\S+)#xywh=(\d+),(\d+),(\d+),(\d+)$/;

/** Reads a WebVTT of tiles strictly. */
function readCues(text: string) {
  const [head, ...blocks] = text.trimEnd().split('\n\n');
  expect(head).toBe('WEBVTT');
  return blocks.map((block) => {
    const [, h1, m1, s1, h2, m2, s2, sheet = '', ...place] = cueLine.exec(block) ?? [];
    const [x = NaN, y = NaN, width = NaN, height = NaN] = place.map(Number);
    const [start, end] = [
      [h1, m1, s1],
      [h2, m2, s2],
    ].map(([h, m, s]) => Number(h) * 3600 + Number(m) * 60 + Number(s));
    return { start, end, sheet, place: { x, y, width, height } };
  });
}

/** Reads a BIF by Roku's description. */
function readBif(bytes: Buffer): { interval: number; pictures: Buffer[] } {
  expect(bytes.subarray(0, 12).toString('hex')).toBe('894249460d0a1a0a00000000');
  const [count, interval] = [bytes.readUInt32LE(12), bytes.readUInt32LE(16)];
  const entries = Array.from({ length: count + 1 }, (_, at) => [
    bytes.readUInt32LE(64 + at * 8),
    bytes.readUInt32LE(68 + at * 8),
  ]);
  expect(entries.map(([time]) => time)).toEqual([...Array(count).keys(), 0xffffffff]);
  expect(entries.at(-1)?.[1]).toBe(bytes.length);
  return {
    interval,
    pictures: Array.from({ length: count }, (_, at) => bytes.subarray(entries[at]?.[1], entries[at + 1]?.[1])),
  };
}

describe('images of a film', () => {
  let all: Buffer[];

  beforeAll(async () => {
    // Key frames are two seconds apart.
    const source = await make('film.mp4', ...motion(12, '25', '320x180'), ...tone(12), ...quickH264, '-g', '50');
    all = await grayPictures(source, size);
    expect(all).toHaveLength(300);
  });

  const expectNear = (picture: Buffer, number: number): void => {
    const found = nearestPicture(picture, all);
    expect(found.number).toBe(number);
    expect(found.difference).toBeLessThan(4);
  };

  test('makes thumbnails, a storyboard and previews of a film beside its encodes, at the declared times', async () => {
    const { outputs, place } = await encodeTo('film.mp4', [
      { container: 'mp4', video: { width: 160, speed: 'fast' } },
      { image: 'thumbnails', count: 5, width: 160 },
      { image: 'thumbnails', interval: 5, width: 160, imageFormat: 'webp' },
      { image: 'storyboard', interval: 2, imageFormat: 'png' },
      { format: 'mp3_64' },
      { image: 'preview', cuts: 3, cutDuration: 0.4, imageFormat: 'mp4' },
      { image: 'preview', cuts: 2, cutDuration: 0.5 },
    ]);
    expect(outputs[0]).toMatchObject({ container: 'mp4', streams: [{ frames: 300 }, { kind: 'audio' }] });
    expect(outputs[4]).toMatchObject({ format: 'mp3_64' });

    for (const [index, numbers] of [
      [1, [30, 90, 150, 210, 270]],
      [2, [0, 125, 250]],
    ] as const) {
      const output = outputs[index];
      expect(output).toMatchObject({ image: 'thumbnails', width: 160, height: 90 });
      const names = numbers.map((_, at) => `thumbnail-00${at + 1}.${index === 1 ? 'jpg' : 'webp'}`);
      expect(output?.files?.map(({ name, at }) => [name, at])).toEqual(
        numbers.map((number, at) => [names[at], number / 25]),
      );
      for (const [at, { name, sha256 }] of (output?.files ?? []).entries()) {
        const path = `${place(index)}/${name}`;
        expect(await sha256Of(path)).toBe(sha256);
        const [picture = Buffer.alloc(0)] = await grayPictures(path, size);
        expectNear(picture, numbers[at] ?? NaN);
      }
    }

    expect(outputs[3]).toMatchObject({
      width: 160,
      height: 90,
      tiles: { count: 6, interval: 2, columns: 6, rows: 1 },
    });
    expect(outputs[3]?.files?.map(({ name, contentType }) => [name, contentType])).toEqual([
      ['sprite-001.png', 'image/png'],
      ['storyboard.bif', 'application/octet-stream'],
      ['storyboard.vtt', 'text/vtt'],
    ]);
    const cues = readCues(await readFile(`${place(3)}/storyboard.vtt`, 'utf8'));
    expect(cues.map(({ start, end }) => [start, end])).toEqual([0, 2, 4, 6, 8, 10].map((start) => [start, start + 2]));
    const [sheet = Buffer.alloc(0)] = await grayPictures(`${place(3)}/sprite-001.png`, { width: 960, height: 90 });
    for (const [index, cue] of cues.entries()) expectNear(cropGray(sheet, 960, cue.place), index * 50);
    const bif = readBif(await readFile(`${place(3)}/storyboard.bif`));
    expect([bif.interval, bif.pictures.length]).toEqual([2000, 6]);
    for (const [index, bytes] of bif.pictures.entries()) {
      await writeFile(file('tile.jpg'), bytes);
      const [picture = Buffer.alloc(0)] = await grayPictures(file('tile.jpg'), size);
      expectNear(picture, index * 50);
    }

    // The preview has ten pictures from the middle of each third.
    expect(outputs[5]).toMatchObject({ image: 'preview', contentType: 'video/mp4', width: 320, duration: 1.2 });
    const shown = await grayPictures(place(5), size);
    const starts = [45, 145, 245];
    const wanted = starts.flatMap((start) => Array.from({ length: 10 }, (_, at) => start + at));
    expect(shown.map((picture) => nearestPicture(picture, all).number)).toEqual(wanted);
    const { streams } = (await probe(place(5), '-show_streams')) as { streams: object[] };
    expect(streams).toMatchObject([{ codec_name: 'h264', color_space: 'bt709', r_frame_rate: '25/1' }]);

    expect(outputs[6]).toMatchObject({ image: 'preview', contentType: 'image/webp', width: 320, duration: 1 });
    const webp = await readFile(place(6));
    const frames = framesOf(webp);
    expect(frames.map(({ durationMs }) => durationMs)).toEqual(Array.from({ length: 10 }, () => 100));
    // The first picture is complete; the others are changes.
    await writeFile(file('first.webp'), stillOf(frames[0]?.picture ?? Buffer.alloc(0)));
    const [first = Buffer.alloc(0)] = await grayPictures(file('first.webp'), size);
    expectNear(first, 68);
  });

  test.each(
    rowsExcept(
      ['key frames are far apart'],
      [
        ['key frames are far apart', 'sparse.mkv', ['-g', '999']],
        [
          'pictures are refreshed piece by piece',
          'refresh.mp4',
          ['-bf', '0', '-x264-params', 'intra-refresh=1:keyint=20'],
        ],
      ],
    ),
  )('makes tiles of the right times even if %s', async (_, source, options) => {
    await make(source, ...motion(4, '25', '320x180'), ...quickH264, ...options);
    const { outputs, place } = await encodeTo(source, [{ image: 'storyboard' }]);
    expect(outputs[0]).toMatchObject({ tiles: { count: 4, interval: 1 } });
    const [sheet = Buffer.alloc(0)] = await grayPictures(`${place(0)}/sprite-001.jpg`, { width: 640, height: 90 });
    for (const tile of [0, 1, 2, 3]) expectNear(cropGray(sheet, 640, { x: tile * 160, y: 0, ...size }), tile * 25);
  });

  test('makes a contact sheet of the middle of each part, row by row', async () => {
    await copyFile(file('film.mp4'), file('sheets.mp4'));
    const sheets = [
      { count: 7, width: 160 },
      { count: 100, width: 16, imageFormat: 'png' },
    ] as const;
    const { outputs, place } = await encodeTo(
      'sheets.mp4',
      sheets.map((sheet) => ({ image: 'contact-sheet', ...sheet })),
    );
    const [columns, rows] = [5, 2];
    const whole = { width: columns * 164 - 4, height: rows * 94 - 4 };
    expect(outputs[0]).toMatchObject({ ...whole, contentType: 'image/jpeg', tiles: { count: 7, columns, rows } });
    const [sheet = Buffer.alloc(0)] = await grayPictures(place(0), whole);
    for (const [tile, number] of [21, 64, 107, 150, 192, 235, 278].entries()) {
      const at = { x: (tile % columns) * 164, y: Math.floor(tile / columns) * 94 };
      expectNear(cropGray(sheet, whole.width, { ...at, ...size }), number);
    }
    expect(outputs[1]).toMatchObject({ contentType: 'image/png', tiles: { count: 100, columns: 10, rows: 10 } });
    const tooMany = await service.encode('sheets.mp4', [{ image: 'contact-sheet', count: 101 }]);
    expect(tooMany.body).toMatchObject({ code: 'unsupported_format', error: expect.stringContaining('100 pictures') });
  });

  test('fails images of undecodable pictures, and leaves out optional ones', async () => {
    // The packets exist, but their content is damaged.
    const [flat, tiny] = ['color=black:s=320x180:r=25:d=2', ['-c:v', 'mpeg4', '-bsf:v', 'noise=amount=1']];
    await make('broken.mkv', '-i', file('second.wav'), '-f', 'lavfi', '-i', flat, ...tiny);
    const sheet: DescribedOutput = { image: 'contact-sheet' };
    expect((await service.encode('broken.mkv', [sheet])).body).toMatchObject({ code: 'undecodable_source' });
    const { body } = await service.encode('broken.mkv', [{ analysis: 'report' }, { ...sheet, optional: true }]);
    const leftOut = { size: 0, leftOut: { code: 'undecodable_source' } };
    expect(body).toMatchObject({ success: true, outputs: [{ analysis: 'report' }, leftOut] });
  });

  test('rejects images that the film does not have, and leaves nothing', async () => {
    for (const [output, error] of [
      [{ image: 'poster', at: 13 }, 'the film ends at 12.000 seconds, and has no picture at 13'],
      [{ image: 'poster', width: 4 }, 'has at least 16 pixels'],
      [{ image: 'poster', imageFormat: 'png', quality: 50 }, 'png is lossless'],
      [{ image: 'preview', cuts: 20, cutDuration: 2 }, 'the cuts of a preview have at most 30 seconds'],
      [{ image: 'poster', fit: 'cover', width: 100 }, 'needs both width and height'],
    ] as const) {
      const answer = await service.encode('film.mp4', [output]);
      expect(answer.body, error).toMatchObject({ code: 'unsupported_format', error: expect.stringContaining(error) });
    }
    for (const [output, error] of [
      [{ image: 'poster', at: 'soon' }, 'must be "auto", seconds'],
      [{ image: 'poster', imageFormat: 'svg' }, 'is jpeg or png or webp or avif for poster'],
      [{ image: 'poster', trim: { start: 1 } }, 'does not apply to poster'],
      [{ image: 'thumbnails', count: 3, interval: 3 }, 'give either count or interval'],
      [{ image: 'storyboard', width: 999 }, 'is at most 480 for storyboard'],
    ] as const) {
      const answer = await service.encode('film.mp4', [output]);
      expect(answer.body, error).toMatchObject({ code: 'invalid_request', error: expect.stringContaining(error) });
    }
    await make('sound.m4a', '-i', file('second.wav'), ...motion(1), '-frames:v', '1', '-c:v', 'mjpeg', '-c:a', 'aac', '-disposition:v', 'attached_pic'); // prettier-ignore
    expect((await service.encode('sound.m4a', [{ image: 'poster' }])).body).toMatchObject({ code: 'no_video' });
    await service.expectNothingUploaded('sound.m4a');
  });
});

/** Pictures of an animated WebP (RFC 9649). */
function framesOf(webp: Buffer): { durationMs: number; picture: Buffer }[] {
  const frames = [];
  for (let at = 12; at < webp.length; at += 8 + webp.readUInt32LE(at + 4) + (webp.readUInt32LE(at + 4) % 2)) {
    const body = webp.subarray(at + 8, at + 8 + webp.readUInt32LE(at + 4));
    if (webp.toString('latin1', at, at + 4) !== 'ANMF') continue;
    frames.push({ durationMs: body.readUIntLE(12, 3), picture: body.subarray(16) });
  }
  return frames;
}

/** A still WebP of one such picture. */
function stillOf(picture: Buffer): Buffer {
  const head = Buffer.from('RIFF    WEBP', 'latin1');
  head.writeUInt32LE(4 + picture.length, 4);
  return Buffer.concat([head, picture]);
}

matrixTest('makes images of a film of two 10-bit pictures, and JPEGs that are JFIF', async () => {
  const source = await make('two.mp4', ...motion(0.08, '25', '320x180'), '-c:v', 'libx264', '-pix_fmt', 'yuv422p10le');
  const { outputs, place } = await encodeTo('two.mp4', [
    { image: 'poster' },
    { image: 'preview' },
    { image: 'thumbnails', count: 4 },
    { image: 'storyboard' },
  ]);
  expect((await readFile(place(0))).subarray(6, 10).toString()).toBe('JFIF');
  // A preview of a tenth of a second has one picture.
  expect(outputs[1]).toMatchObject({ contentType: 'image/webp', duration: 0.1 });
  const all = await grayPictures(source, size);
  for (const [index, number] of [0, 0, 1, 1].entries()) {
    const [picture = Buffer.alloc(0)] = await grayPictures(`${place(2)}/thumbnail-00${index + 1}.jpg`, size);
    expect(nearestPicture(picture, all).number).toBe(number);
  }
  expect(outputs[3]).toMatchObject({ tiles: { count: 1 } });
});

test('chooses a sharp poster that is neither black nor in a fade', async () => {
  const scene = 'mandelbrot=s=320x180:r=25:start_scale=0.5';
  const parts = [
    ...['[1]split=4[a][b][c][d]', '[0]trim=0:2,setpts=PTS-STARTPTS[black]'],
    '[a]trim=0:3,boxblur=8,setpts=PTS-STARTPTS[blurred]',
    '[b]trim=3:5,fade=in:0:50,setpts=PTS-STARTPTS[in]',
    '[c]trim=5:6,setpts=PTS-STARTPTS[sharp]',
    '[d]trim=6:8,fade=out:0:50,setpts=PTS-STARTPTS[out]',
    '[black][blurred][in][sharp][out]concat=n=5:v=1:a=0,format=yuv420p',
  ];
  const inputs = ['-f', 'lavfi', '-i', 'color=black:s=320x180:r=25:d=2', '-f', 'lavfi', '-i', scene];
  await make('scenes.mp4', ...inputs, '-filter_complex', parts.join(';'), '-t', '10', ...quickH264);
  const { outputs } = await encodeTo('scenes.mp4', [{ image: 'poster' }]);
  // The half second of fade before and after is still above three quarters of its light.
  expect(outputs[0]?.at).toBeGreaterThanOrEqual(6.4);
  expect(outputs[0]?.at).toBeLessThanOrEqual(8.6);
  await make('night.mp4', '-f', 'lavfi', '-i', 'color=black:s=320x180:r=25:d=1', ...quickH264);
  expect((await encodeTo('night.mp4', [{ image: 'poster' }])).outputs[0]).toMatchObject({ at: expect.any(Number) });
});

test('chooses a poster from all pictures if no key frame can be shown alone', async () => {
  const inputs = ['-f', 'lavfi', '-i', 'color=black:s=160x90:r=25:d=3', ...motion(61)];
  const refreshed = ['-bf', '0', '-x264-params', 'intra-refresh=1:keyint=25'];
  await make('refreshed.mp4', ...inputs, '-filter_complex', 'concat', ...quickH264, ...refreshed);
  // The first picture is black.
  expect((await encodeTo('refreshed.mp4', [{ image: 'poster' }])).outputs[0]?.at).toBeGreaterThan(3);
});

test('makes a poster after the parameters of the pictures have changed', async () => {
  const coded = [...quickH264, '-g', '25', '-muxdelay', '0', '-muxpreload', '0'];
  await make('one.ts', ...motion(2, '25', '192x108'), ...coded, '-profile:v', 'baseline', '-bf', '0');
  await make('two.ts', ...motion(2, '25', '192x108'), ...coded, '-output_ts_offset', '2');
  await writeFile(file('both.ts'), Buffer.concat([await readFile(file('one.ts')), await readFile(file('two.ts'))]));
  const { place } = await encodeTo('both.ts', [{ image: 'poster', at: 3.2 }]);
  const [picture = Buffer.alloc(0)] = await grayPictures(place(0), size);
  expect(nearestPicture(picture, await grayPictures(file('both.ts'), size)).number).toBe(80);
});

matrixTest('rejects images of pictures that change their size, rather than distort them', async () => {
  const coded = [...quickH264, '-g', '5'];
  await make('small.ts', ...motion(1, '25', '320x180'), ...coded);
  await make('large.ts', ...motion(2, '25', '320x240'), ...coded, '-output_ts_offset', '1.2');
  await writeFile(
    file('change.ts'),
    Buffer.concat([await readFile(file('small.ts')), await readFile(file('large.ts'))]),
  );
  await make('change.mkv', '-i', file('change.ts'), '-c', 'copy');
  // The index of Matroska lets the decoder enter after the change.
  for (const image of [
    { image: 'poster', at: 2.4 },
    { image: 'thumbnails', count: 5 },
    { image: 'storyboard', interval: 0.5 },
  ] as const)
    await expect(encodeTo('change.mkv', [image])).rejects.toThrow('changes the size of its pictures');
});
