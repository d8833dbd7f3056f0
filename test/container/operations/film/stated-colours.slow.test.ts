import { expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion } from '../../../support/films.ts';
import { pixelsOf, words } from '../../../support/media-files.ts';

const { encoded, make, outputFile } = await useEncodes();

const hd = { color_space: 'bt709', color_primaries: 'bt709', color_transfer: 'bt709' };
const sd = { color_space: 'smpte170m', color_primaries: 'smpte170m', color_transfer: 'smpte170m' };
const hlg = { color_space: 'bt2020nc', color_primaries: 'bt2020', color_transfer: 'arib-std-b67' };

test.each([
  ['VP8', 'film.webm', hd, '-c:v libvpx -deadline realtime -pix_fmt yuv420p'],
  ['DNxHR', 'film.mov', sd, '-c:v dnxhd -profile:v dnxhr_sq -pix_fmt yuv422p'],
  ['deep DNxHR', 'hlg.mov', hlg, '-c:v dnxhd -profile:v dnxhr_hqx -pix_fmt yuv422p10le'],
])('keeps the colours that a file of %s states, whatever its decoder says', async (_, name, colours, encoder) => {
  const { color_space: space, color_primaries: primaries, color_transfer: transfer } = colours;
  const tags = words(`-colorspace ${space} -color_primaries ${primaries} -color_trc ${transfer}`);
  await make(name, ...motion(0.4, '25', '256x144'), ...words(encoder), ...tags);
  await encoded(name, [
    { container: 'mp4', video: { codec: 'hevc', speed: 'fast' } },
    { container: 'mkv', video: { codec: 'ffv1' } },
  ]);
  for (const index of [0, 1]) expect((await probeAll(outputFile(name, index))).streams[0]).toMatchObject(colours);
});

test('makes limited range of VP8 whose file states full range', async () => {
  const encoder = words('-pix_fmt yuv420p -c:v libvpx -deadline realtime -color_range pc');
  const grey = 'color=black:s=64x64:d=0.2,format=yuv420p,geq=200:128:128,setparams=range=pc';
  await make('full.webm', '-f', 'lavfi', '-i', grey, ...encoder);
  await encoded('full.webm', [{ container: 'mp4', video: { codec: 'h264' } }]);
  const path = outputFile('full.webm');
  expect((await probeAll(path)).streams[0]).toMatchObject({ color_range: 'tv' });
  const [brightness = 0] = await pixelsOf(path, 'gray');
  expect(Math.abs(brightness - 200)).toBeLessThan(3);
});

test('draws a poster of VP8 in the colours that the file states', async () => {
  const filter = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p';
  const encoder = words('-c:v libvpx -deadline realtime -colorspace bt709 -color_primaries bt709 -color_trc bt709');
  await make('green.webm', '-f', 'lavfi', '-i', 'color=0x20c040:s=64x64:d=0.2', '-vf', filter, ...encoder);
  await encoded('green.webm', [{ image: 'poster', imageFormat: 'png' }]);
  const [red = 0, green = 0, blue = 0] = await pixelsOf(outputFile('green.webm'), 'rgba');
  expect(Math.max(Math.abs(red - 0x20), Math.abs(green - 0xc0), Math.abs(blue - 0x40))).toBeLessThan(6);
});
