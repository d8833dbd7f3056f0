import { expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { pixelsAt } from './hdr-colours.ts';
import { motion, pictureHashes, picturePackets, plainScaler, quickH264 } from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encode, encoded, make, outputFile } = service;

const nearlyLossless = { codec: 'h264', speed: 'fast', crf: 1, pixelFormat: 'yuv420p' } as const;

async function plainHashes(source: string, filter: string): Promise<string[]> {
  const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '1', '-profile:v', 'high', '-g', '250'];
  const options = ['-an', '-filter_complex', `[0:v]${filter},setsar=1,format=yuv420p`, ...encoder, '-threads', '1'];
  return await pictureHashes(await make('plain.mkv', '-i', service.file(source), ...options));
}

test.each<[string, object, string, string]>(
  rowsExcept(
    ['cut at each side', 'turned upside down', 'turned back by a quarter', 'padded unevenly with white at the sides'],
    [
      ['cut at each side', { crop: { top: 10, right: 20, bottom: 4, left: 6 } }, 'crop=134:82:6:10', '134x82'],
      [
        'cut by odd numbers of pixels, each with its own colour',
        { crop: { top: 3, left: 5 } },
        `format=yuv444p,crop=155:93:5:3,${plainScaler('154:92')}`,
        '154x92',
      ],
      ['turned by a quarter', { rotate: 90 }, 'transpose=clock', '96x160'],
      ['turned upside down', { rotate: 180 }, 'hflip,vflip', '160x96'],
      ['turned back by a quarter', { rotate: 270 }, 'transpose=cclock', '96x160'],
      [
        'turned, then cut, then scaled',
        { rotate: 90, crop: { top: 20 }, height: 70 },
        `transpose=clock,crop=96:140:0:20,${plainScaler('48:70')}`,
        '48x70',
      ],
      [
        'padded with black above and below',
        { width: 200, height: 200, pad: 'black' },
        `${plainScaler('200:120')},pad=200:200:0:40`,
        '200x200',
      ],
      [
        'padded unevenly with white at the sides',
        { width: 154, height: 90, pad: 'white' },
        `${plainScaler('150:90')},format=yuv420p,pad=154:90:2:0:color=white`,
        '154x90',
      ],
    ],
  ),
)('shapes a film as plain ffmpeg does: %s', async (_, video, filter, size) => {
  await make('film.mp4', ...motion(0.4, '25', '160x96'), ...quickH264);
  await encoded('film.mp4', [{ container: 'mkv', video: { ...nearlyLossless, ...video } }]);
  const path = outputFile('film.mp4');
  const [width, height] = size.split('x').map(Number);
  expect((await probeAll(path)).streams).toMatchObject([{ width, height, sample_aspect_ratio: '1:1' }]);
  expect(await pictureHashes(path)).toEqual(await plainHashes('film.mp4', filter));
});

test('applies the rotation of the file before the requested one', async () => {
  await make('lying.mp4', ...motion(0.4, '25', '160x96'), ...quickH264);
  const turned = ['-i', service.file('lying.mp4'), '-c', 'copy', '-metadata:s:v', 'rotate=90'];
  await make('phone.mp4', ...turned);
  const wish = { ...nearlyLossless, rotate: 90, crop: { bottom: 16 } } as const;
  await encoded('phone.mp4', [{ container: 'mp4', video: wish }]);
  // Plain ffmpeg applies the rotation of the file too.
  expect(await pictureHashes(outputFile('phone.mp4'))).toEqual(
    await plainHashes('phone.mp4', 'transpose=clock,crop=160:80:0:0'),
  );
});

test.each([
  ['as requested', 'wide.mp4', { rotate: 90 }, 'transpose=clock,'],
  ['by the file', 'turned.mp4', {}, ''],
] as const)('keeps all lines of a film with wide pixels that is turned %s', async (_, source, wish, turn) => {
  const film = await make('wide.mp4', ...motion(0.4, '25', '160x96'), '-vf', 'setsar=2', ...quickH264);
  if (source !== 'wide.mp4') await make(source, '-i', film, '-c', 'copy', '-metadata:s:v', 'rotate=90');
  await encoded(source, [
    { container: 'mkv', video: { ...nearlyLossless, ...wish } },
    { container: 'mkv', video: { ...nearlyLossless, ...wish, crop: { top: 20 } } },
  ]);
  expect(await pictureHashes(outputFile(source))).toEqual(await plainHashes(source, turn + plainScaler('96:320')));
  expect(await pictureHashes(outputFile(source, 1))).toEqual(
    await plainHashes(source, `${turn}crop=96:140:0:20,${plainScaler('96:280')}`),
  );
});

test.each([
  ['bt709', '#ff8000', [141, 59, 189]],
  ['bt709', '#00c040', [138, 91, 49]],
  ['smpte170m', '#ff8000', [146, 53, 193]],
] as const)('pads a film in %s with the colour %s, and keeps its colour tags', async (space, pad, wanted) => {
  const tags = ['-colorspace', space, '-color_primaries', 'bt709', '-color_trc', 'bt709'];
  const source = `${space}.mp4`;
  await make(source, ...motion(0.2, '25', '160x96'), ...quickH264, ...tags);
  const formats = ['yuv420p', 'yuv444p10le'] as const;
  await encoded(
    source,
    formats.map((pixelFormat) => ({
      container: 'mp4',
      video: { ...nearlyLossless, pixelFormat, width: 200, height: 200, pad },
    })),
  );
  for (const index of formats.keys()) {
    const path = outputFile(source, index);
    const pixels = await pixelsAt(path, [
      [100, 10],
      [100, 190],
    ]);
    for (const pixel of pixels) {
      for (const [component, value] of pixel.entries()) {
        expect(
          Math.abs(value - (wanted[component] ?? NaN)),
          `${pixel.join()} of ${formats[index]}`,
        ).toBeLessThanOrEqual(1);
      }
    }
    expect((await probeAll(path)).streams).toMatchObject([
      { color_space: space, color_primaries: 'bt709', color_transfer: 'bt709' },
    ]);
  }
});

test('rejects a crop that leaves nothing', async () => {
  await make('small.mp4', ...motion(0.2), ...quickH264);
  const answer = await encode('small.mp4', [{ container: 'mp4', video: { crop: { left: 80, right: 80 } } }]);
  expect(answer.body).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining('its crop leaves nothing of the 160x90 pixels of the source'),
  });
});

test('keeps the times of padded pictures of a variable rate', async () => {
  const gaps = "select='not(eq(mod(n,7),3))',setpts=PTS+0.004*mod(N\\,3)/TB";
  const options = ['-vf', gaps, '-fps_mode', 'vfr', '-video_track_timescale', '90000', ...quickH264];
  await make('phone-rate.mp4', ...motion(1, '30', '160x96'), ...options);
  const video = { ...nearlyLossless, width: 200, height: 200, pad: '#102030' };
  await encoded('phone-rate.mp4', [{ container: 'mp4', video }]);
  const times = async (path: string) => (await picturePackets(path)).map(({ time }) => time);
  expect(await times(outputFile('phone-rate.mp4'))).toEqual(await times(service.file('phone-rate.mp4')));
});
