import { expect, test } from 'vitest';
import { probeAll, useEncodes } from '../../../support/encodes.ts';
import { motion, quickH264 } from '../../../support/films.ts';
import { pixelsOf, words } from '../../../support/media-files.ts';

const { encoded, file, make, outputFile } = await useEncodes();

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

/** Only the matrix is stated; the other tags have the value 0, which no standard defines (auto-editor issue 484). */
const reserved = '-bsf:v h264_metadata=colour_primaries=0:transfer_characteristics=0:matrix_coefficients=1';

test('encodes pictures whose colour tags are reserved, with the tags that say something', async () => {
  await make('reserved.mp4', ...motion(0.4, '25', '256x144'), ...quickH264, ...words(reserved));
  expect((await probeAll(file('reserved.mp4'))).streams[0]).toMatchObject({ color_primaries: 'reserved' });
  await encoded('reserved.mp4', [
    { container: 'webm', video: { codec: 'vp9', speed: 'fast' } },
    { container: 'mkv', video: { codec: 'ffv1' } },
    { container: 'mp4', video: { codec: 'h264', speed: 'fast', width: 256, height: 256, pad: 'black' } },
    { container: 'mp4', video: { codec: 'h264', speed: 'fast' }, trim: { start: 0.2 } },
    { container: 'mp4', video: { codec: 'hevc', speed: 'fast' } },
  ]);
  for (const index of [0, 1, 2, 3, 4]) {
    const [stream] = (await probeAll(outputFile('reserved.mp4', index))).streams as object[];
    expect(stream).toMatchObject({ color_space: 'bt709' });
    expect(stream).not.toHaveProperty('color_primaries', 'reserved');
    expect(stream).not.toHaveProperty('color_transfer', 'reserved');
  }
});

test.each([
  ['fcc', '-colorspace fcc -color_primaries bt470m -color_trc smpte170m'],
  ['bt2020c', '-colorspace bt2020c -color_primaries bt2020 -color_trc bt2020-10'],
  ['ycgco', '-colorspace ycgco -color_primaries bt709 -color_trc bt709'],
  ['chroma-derived-nc', '-colorspace chroma-derived-nc -color_primaries bt709 -color_trc bt709'],
  ['ebu3213', '-colorspace bt709 -color_primaries ebu3213 -color_trc bt709'],
])('encodes pictures tagged %s, for which a codec has no code', async (name, tags) => {
  const source = `${name}.mkv`;
  await make(source, ...motion(0.2, '25', '256x144'), ...words(`-c:v ffv1 -pix_fmt yuv420p ${tags}`));
  expect(Object.values((await probeAll(file(source))).streams[0] ?? {})).toContain(name);
  await encoded(source, [
    { container: 'webm', video: { codec: 'vp9', speed: 'fast' } },
    { container: 'mp4', video: { codec: 'h264', speed: 'fast' } },
    { container: 'mp4', video: { codec: 'hevc', speed: 'fast' } },
    { container: 'mp4', video: { codec: 'av1', speed: 'fast' } },
    { container: 'mov', video: { codec: 'prores' } },
  ]);
});
