import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion, pictureHashes, quickH264 } from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const execute = promisify(execFile);
const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const archive = { preset: 'archive-ffv1' } as const;

/** Makes the left half transparent and keeps that in a palette. */
const clearPalette =
  "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*gt(X,W/2)',split[a][b];[a]palettegen[p];[b][p]paletteuse";

test.each<[string, string, string[], object]>(
  rowsExcept(
    ['colours of a palette', '2x2 pixels', 'planes of red, green and blue', 'red, green and blue', 'grey of 16 bits'],
    [
      [
        '4:2:0 of full range',
        'full.mkv',
        ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p'],
        { pix_fmt: 'yuv420p', color_range: 'pc' },
      ],
      ['4:2:2 of 10 bits', 'deep.mov', ['-c:v', 'prores_ks'], { pix_fmt: 'yuv422p10le' }],
      ['red, green and blue', 'rgb.mkv', ['-c:v', 'ffv1', '-pix_fmt', 'bgr0'], { pix_fmt: 'bgr0' }],
      ['grey of 16 bits', 'grey.mkv', ['-c:v', 'ffv1', '-pix_fmt', 'gray16le'], { pix_fmt: 'gray16le' }],
      ['colours of a palette', 'palette.mov', ['-c:v', 'png', '-pix_fmt', 'pal8'], { pix_fmt: 'bgra' }],
      ['transparency of a palette', 'clear.mov', ['-vf', clearPalette, '-c:v', 'png'], { pix_fmt: 'bgra' }],
      ['red, green and blue of 16 bits', 'rgb48.mov', ['-c:v', 'png', '-pix_fmt', 'rgb48be'], { pix_fmt: 'gbrp16le' }],
      ['2x2 pixels', 'tiny.mkv', ['-vf', 'scale=2:2', '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p'], { width: 2 }],
      [
        'sides that 16 slices do not divide',
        'slices.mkv',
        ['-vf', 'scale=165:90,setsar=1', '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p'],
        { width: 165, height: 90 },
      ],
      ['planes of red, green and blue', 'planes.mp4', ['-c:v', 'libx264rgb', '-crf', '20'], { pix_fmt: 'bgr0' }],
      [
        'odd sides and pixels that are no squares',
        'odd.mkv',
        ['-vf', 'scale=161:91,setsar=4/3', '-c:v', 'ffv1', '-pix_fmt', 'yuv420p'],
        { width: 161, height: 91, sample_aspect_ratio: expect.stringMatching(/^(?!1:1)/) },
      ],
      [
        'interlaced fields',
        'fields.mkv',
        ['-vf', 'tinterlace=4', '-c:v', 'mpeg2video', '-flags', '+ilme+ildct', '-q:v', '2'],
        { field_order: expect.stringMatching(/tt|tb/) },
      ],
    ],
  ),
)('archives %s to the last bit', async (_, source, args, stream) => {
  const rate = args.includes('tinterlace=4') ? '50' : '25';
  await make(source, ...motion(0.4, rate), ...args);
  await encoded(source, [archive]);
  const path = outputFile(source);
  expect((await probeAll(path)).streams).toMatchObject([{ codec_name: 'ffv1', ...stream }]);
  const { streams } = await probeAll(service.file(source));
  const format = (streams as unknown as { pix_fmt: string }[])[0]?.pix_fmt.replace('yuvj', 'yuv') ?? '';
  const read = `format=${/^gbrp$|^bgr0$/.test(format) ? 'rgb24' : format.replace('pal8', 'bgra')}`;
  const sourceRead = source === 'full.mkv' ? 'scale=in_range=pc:out_range=pc,format=yuv420p' : read;
  expect(await pictureHashes(path, read)).toEqual(await pictureHashes(service.file(source), sourceRead));
});

/** The first figures of a display matrix that stretches by these factors; a negative one mirrors. */
function displayMatrix(across: number, down: number): Buffer {
  const figures = Buffer.alloc(24);
  figures.writeInt32BE(across * 65_536, 0);
  figures.writeInt32BE(down * 65_536, 16);
  return figures;
}

describe('pictures that stay interlaced', () => {
  const woven = [
    '-vf',
    'tinterlace=interleave_top',
    '-c:v',
    'mpeg4',
    '-q:v',
    '2',
    '-flags',
    '+ilme+ildct',
    '-top',
    '1',
  ];
  // The file does not state the order of fields; its pictures do.
  beforeAll(async () => {
    await make('woven.mov', ...motion(0.4, '50', '160x576'), ...woven);
    await make('woven-turned.mov', '-i', service.file('woven.mov'), '-c', 'copy', '-metadata:s:v', 'rotate=180');
    const turned = await readFile(service.file('woven-turned.mov'));
    const place = turned.indexOf(displayMatrix(-1, -1));
    for (const [name, matrix] of [
      ['woven-hflip.mov', displayMatrix(-1, 1)],
      ['woven-vflip.mov', displayMatrix(1, -1)],
    ] as const) {
      matrix.copy(turned, place);
      await writeFile(service.file(name), turned);
    }
  });

  test.each([
    ['woven.mov', {}, 'TFF', 'tb'],
    ['woven.mov', { crop: { top: 1, bottom: 1 } }, 'BFF', 'bt'],
    ['woven.mov', { crop: { top: 2 } }, 'TFF', 'tb'],
    ['woven.mov', { rotate: 180 }, 'BFF', 'bt'],
    ['woven.mov', { rotate: 180, crop: { top: 1, bottom: 1 } }, 'TFF', 'tb'],
    ['woven-turned.mov', {}, 'BFF', 'bt'],
    ['woven-turned.mov', { rotate: 180 }, 'TFF', 'tb'],
    ['woven-hflip.mov', {}, 'TFF', 'tb'],
    ['woven-vflip.mov', {}, 'BFF', 'bt'],
  ] as const)('keep their fields in order in an archive of %s with %j', async (source, video, order, stated) => {
    await encoded(source, [{ ...archive, video }]);
    const path = outputFile(source);
    expect((await probeAll(path)).streams).toMatchObject([{ field_order: stated }]);
    // `idet` looks at the lines alone.
    const { stderr } = await execute('ffmpeg', ['-i', path, '-vf', 'idet', '-f', 'null', '/dev/null']);
    expect(stderr).toMatch(new RegExp(`Multi frame detection:.* ${order}: +10 `));
  });

  test('are not turned by a quarter, which would make columns of their lines', async () => {
    expect((await encode('woven.mov', [{ ...archive, video: { rotate: 90 } }])).body).toMatchObject({
      code: 'unsupported_format',
      error: expect.stringContaining('use "deinterlace": "auto"') as string,
    });
    await encoded('woven.mov', [{ ...archive, video: { rotate: 90, deinterlace: true } }]);
  });
});

test('rejects pictures that the codec would archive as black', async () => {
  await make('narrow.mkv', ...motion(0.08), '-vf', 'scale=3:1000,setsar=1', '-c:v', 'rawvideo', '-pix_fmt', 'yuv420p');
  expect((await encode('narrow.mkv', [archive])).body).toMatchObject({ code: 'unsupported_format' });
});

test('rejects transparency that is not decoded, rather than lose it', async () => {
  const vp9 = ['-c:v', 'libvpx-vp9', '-auto-alt-ref', '0', '-pix_fmt', 'yuva420p', '-deadline', 'realtime'];
  await make('logo.webm', ...motion(0.08), ...vp9);
  expect((await encode('logo.webm', [archive])).body).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining('transparency that is not decoded') as string,
  });
  await encoded('logo.webm', [{ ...archive, video: { pixelFormat: 'yuv420p' } }]);
});

test('archives pictures that were encoded again without their transparency but keep its tag', async () => {
  const vp9 = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuv420p', '-deadline', 'realtime'];
  await make('opaque.webm', ...motion(0.08), ...vp9, '-metadata:s:v', 'alpha_mode=1');
  await encoded('opaque.webm', [archive]);
});

test('makes a requested size of square pixels', async () => {
  await make('anamorphic.mkv', ...motion(0.2), '-vf', 'setsar=4/3', ...quickH264);
  const answer = await encode('anamorphic.mkv', [{ ...archive, video: { width: 100 } }]);
  expect(answer.body).toMatchObject({ success: true, outputs: [{ streams: [{ width: 100, height: 42 }] }] });
});

test('archives pictures of 1080p and 2160p, for which the encoder allocates much at once', async () => {
  await make('large.mkv', ...motion(0.04, '25', '3840x2160'), ...quickH264, '-crf', '30');
  const answer = await encode('large.mkv', [archive, { ...archive, video: { width: 1920 } }]);
  expect(answer.body).toMatchObject({ success: true, outputs: [{}, { streams: [{ width: 1920, frames: 1 }] }] });
  expect(await pictureHashes(outputFile('large.mkv'))).toEqual(await pictureHashes(service.file('large.mkv')));
});
