import { expect, test } from 'vitest';
import { probe } from '../../../support/media-files.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { motion } from '../../../support/films.ts';

const service = await useEncodes();
const { encoded, make, outputFile } = service;

const pq = 'format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv';
const screen = 'G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50)';

const valueOf = (fraction: string): number => Number(fraction.split('/')[0]) / Number(fraction.split('/')[1]);

/** Mastering and brightness metadata of the first picture, to four digits. */
async function masteringOf(path: string): Promise<Record<string, number>> {
  const said = (await probe(path, '-select_streams', 'v:0', '-show_frames', '-read_intervals', '%+#1')) as {
    frames: { side_data_list?: Record<string, string | number>[] }[];
  };
  const figures = said.frames.flatMap(({ side_data_list: list = [] }) => list).flatMap((data) => Object.entries(data));
  const rounded = (value: string | number): number =>
    Math.round((typeof value === 'number' ? value : valueOf(value)) * 1e4) / 1e4;
  return Object.fromEntries(
    figures.filter(([name]) => /_[xy]$|^m(?:in|ax)_/.test(name)).map(([name, value]) => [name, rounded(value)]),
  );
}

test('keeps the mastering and brightness metadata of HDR10', async () => {
  const x265 = `log-level=error:hdr10=1:master-display=${screen}:max-cll=1000,400`;
  await make('hdr.mkv', ...motion(0.4), '-vf', pq, '-c:v', 'libx265', '-preset', 'ultrafast', '-x265-params', x265);
  await encoded('hdr.mkv', [
    { container: 'mp4', video: { codec: 'hevc', speed: 'fast' } },
    { container: 'mkv', video: { codec: 'av1', speed: 'fast' } },
    { container: 'mp4', video: { codec: 'h264', speed: 'fast', hdr: 'sdr' } },
  ]);
  const wanted = await masteringOf(service.file('hdr.mkv'));
  expect(wanted).toMatchObject({ red_x: 0.68, max_luminance: 1000, max_content: 1000, max_average: 400 });
  expect(await masteringOf(outputFile('hdr.mkv', 0))).toEqual(wanted);
  const av1 = await masteringOf(outputFile('hdr.mkv', 1));
  // AV1 stores fractions of 65,536 and 16,384.
  for (const [name, value] of Object.entries(wanted)) expect(av1[name], name).toBeCloseTo(value, 3);
  expect(await masteringOf(outputFile('hdr.mkv', 2))).toEqual({});
});
