import { copyFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { DescribedOutput } from '../../../../contract/http/output.ts';
import { TestContainer } from '../../../support/container.ts';
import { ffmpegProcessesUnder } from '../../../support/ffmpeg-processes.ts';
import { pixelsOf } from '../../../support/media-files.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { pictureHashes, quickH264, tone } from '../../../support/films.ts';
import { spreadBy } from '../../../support/parts.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';
import { makePackageOf } from '../package/packages.ts';

const service = await useEncodes();
const { encode, file, make, outputFile } = service;

const quick = { codec: 'h264', speed: 'fast', crf: 30 } as const;

/** A script that shows these texts all the time. */
const scriptOf = (texts: readonly string[]): string => `[Script Info]
ScriptType: v4.00+
PlayResX: 160
PlayResY: 90

[V4+ Styles]
Format: Name, Fontname, Fontsize, PrimaryColour, Alignment
Style: Top,Sans,12,&HFFFFFF,8

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
${texts.map((text) => `Dialogue: 0,0:00:00.00,0:09:00.00,Top,,0,0,0,,${text}`).join('\n')}
`;

const makeDark = async (): Promise<string> =>
  await make('dark.mkv', '-f', 'lavfi', '-i', 'color=black:s=160x90:r=25:d=4', ...quickH264);

test('burns in subtitles that are only shapes, and rejects them as a track of text', async () => {
  await makeDark();
  const link = { url: service.container.fileUrl('shapes.ass') };
  await writeFile(file('shapes.ass'), scriptOf([String.raw`{\pos(0,0)\an7\p1}m 0 0 l 160 0 160 45 0 45{\p0}`]));
  const drawn = await encode('dark.mkv', [{ container: 'mp4', video: quick, subtitles: { burn: link } }]);
  expect(drawn.body).toMatchObject({ success: true, outputs: [{ subtitles: { burnt: { cues: 1 } } }] });
  const pixels = await pixelsOf(outputFile('dark.mkv'), 'gray');
  expect([pixels[80 + 160 * 20], pixels[80 + 160 * 70]]).toEqual([expect.closeTo(255, -1), expect.closeTo(0, -1)]);
  const refused = await encode('dark.mkv', [{ container: 'mp4', video: quick, subtitles: { add: [link] } }]);
  expect(refused.body).toMatchObject({
    code: 'unsupported_format',
    error: expect.stringContaining('they are shapes without text, which an mkv keeps') as string,
  });
});

test('draws a text from the picture at its start to the picture before its end', async () => {
  await make('night.mkv', '-f', 'lavfi', '-i', 'color=black:s=160x90:r=24000/1001:d=3', '-c:v', 'ffv1');
  // SubRip has the milliseconds of the pictures, rounded down.
  const timeOf = (picture: number): string => `00:00:0${(Math.floor((picture * 1001) / 24) / 1000).toFixed(3)}`;
  const shown = [10, 15, 21, 34, 47].map((first) => ({ first, end: first + 3 }));
  const cues = shown.map(({ first, end }, index) => `${index + 1}\n${timeOf(first)} --> ${timeOf(end)}\nWord\n`);
  await writeFile(file('night.srt'), cues.join('\n').replaceAll('.', ','));
  const burn = { url: service.container.fileUrl('night.srt') };
  const drawn = await encode('night.mkv', [{ container: 'mkv', video: { codec: 'ffv1' }, subtitles: { burn } }]);
  expect(drawn.body).toMatchObject({ success: true });
  const hashes = await pictureHashes(outputFile('night.mkv'));
  const withText = hashes.flatMap((hash, picture) => (hash === hashes[0] ? [] : picture));
  expect(withText).toEqual(shown.flatMap(({ first }) => [first, first + 1, first + 2]));
});

const slideCues = [
  { from: 1.8, to: 3.1 },
  { from: 4.1, to: 7.1 },
  { from: 12.1, to: 13.4 },
];

/** Quarter seconds at which a slide has a text. */
const shownTimes = Array.from({ length: 56 }, (_, index) => index / 4).filter((time) =>
  slideCues.some(({ from, to }) => from <= time && time < to),
);

async function textTimes(path: string): Promise<number[]> {
  const hashes = await pictureHashes(path, 'fps=4:start_time=0:round=up,format=gray,lut=y=255*gt(val\\,100)');
  return hashes.flatMap((hash, index) => (hash === hashes[0] ? [] : index / 4));
}

/** Makes 14 s of slides, and their texts. Returns an output that burns the texts in. */
async function makeSlides(name: string, rate: string, filter: string) {
  const film = ['-f', 'lavfi', '-i', `color=0x303030:s=320x180:r=${rate}:d=14`, ...tone(14), '-vf', filter];
  await make(name, ...film, '-fps_mode', 'passthrough', ...quickH264, '-bf', '0', '-c:a', 'aac');
  const clock = (seconds: number): string => `00:00:${seconds.toFixed(3).padStart(6, '0').replace('.', ',')}`;
  const subRip = slideCues.map(({ from, to }, index) => `${index + 1}\n${clock(from)} --> ${clock(to)}\nWord\n`);
  await writeFile(file(`${name}.srt`), subRip.join('\n'));
  const subtitles = { burn: { url: service.container.fileUrl(`${name}.srt`) } };
  return { container: 'mp4', video: { ...quick, keyframeInterval: 1 }, subtitles } as const;
}

const slides = ['2', "select='lte(t,2)+gte(t,12)'"] as const;

test.each([
  ['slides of a variable rate', 'slides.mp4', ...slides, 9],
  ['one picture a second', 'slow.mp4', '1', 'null', 14],
] as const)('shows and hides texts on time over %s', async (_, name, rate, filter, frames) => {
  const output = await makeSlides(name, rate, filter);
  const { outputs } = await service.encoded(name, [output, { ...output, subtitles: 'drop' }]);
  expect(await textTimes(outputFile(name))).toEqual(shownTimes);
  // A film without texts keeps the source's pictures.
  expect(outputs.map(({ streams }) => streams?.[0])).toMatchObject([{ fps: 24, frames: 336 }, { frames }]);
});

test('shows and hides texts on time over slides in a package and in joined segments', async () => {
  const output = await makeSlides('parts.mp4', ...slides);
  const { segments } = await spreadBy(service, 'parts.mp4', [output], 5);
  expect(segments.length).toBeGreaterThan(1);
  expect(await textTimes(outputFile('parts.mp4'))).toEqual(shownTimes);
  const { subtitles } = output;
  const renditions = [{ height: 180 }, { height: 90 }];
  const packaged: DescribedOutput = { package: ['hls'], video: quick, renditions, subtitles, layout: 'byte_ranges' };
  await makePackageOf(service, 'parts.mp4', packaged, 'slides');
  for (const size of ['v180', 'v90']) expect(await textTimes(file(`out/slides/${size}.mp4`)), size).toEqual(shownTimes);
});

test('stops drawing slow subtitles at the time limit of the job', async () => {
  await makeDark();
  // Each of a hundred pictures takes seconds: every line has its own shape, so that no drawing is reused.
  const turning = (line: number): string =>
    String.raw`{\pos(80,45)\bord9\fs30\t(0,4000,\blur100\frz${180 + line})}many letters in a long line ${line}`;
  await writeFile(file('heavy.ass'), scriptOf(Array.from({ length: 200 }, (_, line) => turning(line))));
  const brief = await stopAfterTest(TestContainer.start({ JOB_TIMEOUT_SECONDS: '5' }));
  for (const name of ['dark.mkv', 'heavy.ass']) await copyFile(file(name), file(name, brief));
  const burn = { url: brief.fileUrl('heavy.ass') };
  const large = { container: 'mp4', video: { ...quick, width: 1920, height: 1080 }, subtitles: { burn } } as const;
  const answer = await encode('dark.mkv', [large], {}, brief);
  expect(answer).toMatchObject({ status: 504, body: { code: 'timeout' } });
  await service.expectNothingUploaded('dark.mkv', brief);
  expect(await ffmpegProcessesUnder(brief.scratchDir)).toEqual([]);
});
