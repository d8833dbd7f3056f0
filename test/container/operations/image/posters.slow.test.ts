import { readFile, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { coloursAt } from './picture-colours.ts';
import { probe, sha256Of } from '../../../support/media-files.ts';
import { motion, pictureHashes, plainScaler, quickH264, tone } from '../../../support/films.ts';
import { rowsExcept } from '../../../support/rows.ts';

const service = await useEncodes();
const { encoded, file, make, outputFile } = service;

async function outputsOf(source: string, outputs: DescribedOutput[]) {
  return (await encoded(source, outputs)).outputs;
}

/** MD5 of a picture by its number, as plain ffmpeg decodes it from the beginning. */
async function plainPicture(source: string, number: number): Promise<string[]> {
  return await pictureHashes(file(source), `select=eq(n\\,${number}),${plainScaler('320:180')},format=rgb24`);
}

const someTimes = [
  { at: 0, shown: 0 },
  { at: 3.079, shown: 76 },
  { at: '100%', shown: 149 },
] as const;

const otherTimes = [
  { at: 3.04, shown: 76 },
  { at: '25%', shown: 37 },
  { at: 6, shown: 149 },
] as const;

test.each<[string, string, string[], number?]>(
  rowsExcept(
    ['AVI, which does not stamp its pictures', 'Matroska, whose clock has milliseconds'],
    [
      ['MP4 with B-frames', 'film.mp4', [...quickH264, '-g', '50']],
      ['Matroska, whose clock has milliseconds', 'film.mkv', [...quickH264, '-g', '50']],
      // Its sound begins before its pictures, and so does the film: by one picture.
      ['MPEG-TS, which begins at 1.4 s and has no index', 'film.ts', [...quickH264, '-g', '50'], 1],
      ['AVI, which does not stamp its pictures', 'film.avi', ['-c:v', 'mpeg4', '-q:v', '3', '-bf', '2']],
    ],
  ),
)('makes a poster of %s from the picture shown at that time', async (_, source, encoding, late = 0) => {
  await make(source, ...motion(6, '25', '320x180'), ...tone(6), ...encoding);
  const asked = source === 'film.mp4' ? [...someTimes, ...otherTimes] : someTimes;
  const times = asked.map(({ at, shown }) => ({ at, shown: shown === 76 ? shown - late : shown }));
  const posters = await outputsOf(
    source,
    times.map(({ at }) => ({ image: 'poster', at, imageFormat: 'png' })),
  );
  for (const [index, { shown }] of times.entries()) {
    const path = outputFile(source, index);
    expect(posters[index]).toEqual({
      ...{
        image: 'poster',
        contentType: 'image/png',
        width: 320,
        height: 180,
        at: shown === 0 ? 0 : (shown + late) / 25,
      },
      ...{ size: (await stat(path)).size, sha256: await sha256Of(path) },
    });
    expect(await pictureHashes(path, 'format=rgb24')).toEqual(await plainPicture(source, shown));
  }
});

/** RGB of eight patches side by side. */
const patches = [
  ...[[180, 30, 30], [30, 160, 40], [40, 50, 190], [200, 190, 40]], // prettier-ignore
  ...[[40, 180, 190], [170, 60, 180], [220, 220, 220], [40, 40, 40]], // prettier-ignore
] as const;

const hexOf = (colour: readonly number[]): string =>
  colour.map((value) => value.toString(16).padStart(2, '0')).join('');

test.each<[string, string, string[]]>(
  rowsExcept(
    ['BT.709', 'BT.709 of the full range'],
    [
      ['BT.709', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p', ['-colorspace', 'bt709']],
      ['BT.601', 'scale=out_color_matrix=bt601:out_range=tv,format=yuv420p', ['-colorspace', 'smpte170m']],
      [
        'BT.709 of the full range',
        'scale=out_color_matrix=bt709:out_range=pc,format=yuv420p',
        ['-colorspace', 'bt709', '-color_range', 'pc'],
      ],
      ['red, green and blue', 'format=gbrp', []],
    ],
  ),
)('keeps the colours of a film in %s in posters of every format', async (name, filter, tags) => {
  const source = `${name.replaceAll(' ', '-')}.mkv`;
  const inputs = patches.flatMap((colour) => ['-f', 'lavfi', '-i', `color=0x${hexOf(colour)}:s=40x90:r=5:d=0.6`]);
  const stacked = patches.map((_, index) => `[${index}]format=gbrp[p${index}]`).join(';');
  const graph = `${stacked};${patches.map((_, index) => `[p${index}]`).join('')}hstack=inputs=8,${filter}`;
  await make(source, ...inputs, '-filter_complex', graph, ...tags, '-c:v', 'ffv1');
  const formats = ['png', 'jpeg', 'webp', 'avif'] as const;
  await outputsOf(
    source,
    formats.map((imageFormat) => ({
      image: 'poster',
      at: 0,
      imageFormat,
      ...(imageFormat !== 'png' && { quality: 95 }),
    })),
  );
  const places = patches.map((_, index) => [index * 40 + 20, 45] as const);
  for (const [index, format] of formats.entries()) {
    const found = await coloursAt(outputFile(source, index), format, 320, places);
    const off = found.flatMap((colour, patch) => colour.map((value, part) => value - (patches[patch]?.[part] ?? 0)));
    // 8-bit values are rounded twice.
    expect(Math.max(...off.map(Math.abs)), `${format}: ${off.map(Math.round).join()}`).toBeLessThanOrEqual(4);
  }
  expect((await readFile(outputFile(source, 1))).subarray(6, 10).toString()).toBe('JFIF');
  const avif = await readFile(outputFile(source, 3));
  // nclx declares BT.709 primaries, the sRGB curve, the BT.709 matrix and limited range.
  const nclx = avif.indexOf('nclx', 0, 'latin1') + 4;
  expect([...avif.subarray(nclx, nclx + 7)]).toEqual([0, 1, 0, 13, 0, 1, 0]);
});

test('makes posters in the size and aspect that a player shows, upright and deinterlaced', async () => {
  await make('wide.mp4', ...motion(1, '25', '320x180'), '-vf', 'setsar=4/3', ...quickH264);
  await make('turned.mp4', '-i', file('wide.mp4'), '-c', 'copy', '-metadata:s:v:0', 'rotate=90');
  const fields = ['-vf', 'tinterlace=interleave_top', '-c:v', 'libx264', '-x264opts', 'tff=1', '-pix_fmt', 'yuv420p'];
  await make('fields.mp4', ...motion(2, '50', '320x180'), ...fields);
  const wanted: [string, DescribedOutput, [number, number]][] = [
    ['wide.mp4', {}, [426, 180]],
    ['wide.mp4', { width: 213 }, [212, 90]],
    ['wide.mp4', { width: 100, height: 100, fit: 'cover' }, [100, 100]],
    ['wide.mp4', { width: 100, height: 120, fit: 'blur' }, [100, 120]],
    ['turned.mp4', {}, [180, 426]],
  ];
  for (const source of ['wide.mp4', 'turned.mp4']) {
    const own = wanted.filter(([name]) => name === source);
    const made = await outputsOf(
      source,
      own.map(([, output]) => ({ image: 'poster', at: 0.5, ...output })),
    );
    for (const [index, [, , [width, height]]] of own.entries()) {
      expect(made[index]).toMatchObject({ width, height });
      const probed = await probe(outputFile(source, index), '-show_entries', 'stream=width,height,sample_aspect_ratio');
      expect(probed).toMatchObject({ streams: [{ width, height }] });
    }
  }
  await outputsOf('fields.mp4', [{ image: 'poster', at: 0.4, imageFormat: 'png' }]);
  const evened = `bwdif=mode=send_frame:deint=interlaced,select=eq(n\\,10),${plainScaler('320:180')},format=rgb24`;
  const plain = await pictureHashes(file('fields.mp4'), evened);
  expect(plain).not.toEqual(await plainPicture('fields.mp4', 10));
  expect(await pictureHashes(outputFile('fields.mp4'), 'format=rgb24')).toEqual(plain);
});

test('makes posters of high dynamic range in the colours of the SDR film', async () => {
  const toPq = 'format=gbrp,zscale=t=linear:npl=100,format=gbrpf32le,zscale=p=bt2020:t=smpte2084:m=bt2020nc:r=limited';
  const inputs = patches.flatMap((colour) => ['-f', 'lavfi', '-i', `color=0x${hexOf(colour)}:s=40x90:r=5:d=0.6`]);
  const labels = patches.map((_, index) => `[${index}]`).join('');
  const graph = `${labels}hstack=inputs=8,setparams=color_primaries=bt709:color_trc=bt709:colorspace=gbr,${toPq},format=yuv420p10le`;
  const tags = ['-color_primaries', 'bt2020', '-color_trc', 'smpte2084', '-colorspace', 'bt2020nc'];
  await make('bright.mkv', ...inputs, '-filter_complex', graph, ...tags, '-c:v', 'ffv1');
  await outputsOf('bright.mkv', [
    { image: 'poster', at: 0, imageFormat: 'png' },
    { image: 'poster', at: 0, quality: 95 },
    { container: 'mkv', video: { codec: 'h264', hdr: 'sdr', crf: 5 } },
  ]);
  const places = patches.map((_, index) => [index * 40 + 20, 45] as const);
  const [png, jpeg] = await Promise.all([
    coloursAt(outputFile('bright.mkv', 0), 'png', 320, places),
    coloursAt(outputFile('bright.mkv', 1), 'jpeg', 320, places),
  ]);
  // The film declares BT.709, as our AVIF does.
  const film = await coloursAt(outputFile('bright.mkv', 2), 'bt709', 320, places);
  for (const posters of [png, jpeg]) {
    const off = posters.flatMap((colour, patch) => colour.map((value, part) => value - (film[patch]?.[part] ?? 0)));
    expect(Math.max(...off.map(Math.abs)), off.map(Math.round).join()).toBeLessThanOrEqual(5);
  }
  // PQ misread as SDR would give 121 here.
  expect(film[6]?.[0]).toBeGreaterThan(130);
});
