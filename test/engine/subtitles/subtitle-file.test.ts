import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hasShapes } from '../../../engine/subtitles/cue-markup.ts';
import { openSubtitleFile } from '../../../engine/subtitles/subtitle-file.ts';
import { writeDrawnSubtitles } from '../../../engine/pictures/drawn-subtitles.ts';
import { inFolder, jobIn, limits } from '../sound/segmented/support.ts';

const webVtt = `WEBVTT - of a browser
X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:0

STYLE
::cue { color: red }

REGION
id:below

NOTE
said by nobody

first
00:00.100 --> 00:00.500 line:0 align:start
<v Bob>Hello&nbsp;<c.loud>you</c> {laughs}

00:xx.000 --> 00:00.700
of no time

00:00:00.800-->00:01.000
last
of two lines
`;

test('a WebVTT file is read to its end despite styles, comments and cues without duration', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 's.vtt');
    await writeFile(path, webVtt.replaceAll('\n', '\r\n'));
    const run = { limits, job: jobIn(folder) };
    const { cues } = await openSubtitleFile(path, undefined, run);
    expect(cues).toEqual([
      { startMs: 100, endMs: 500, text: 'Hello\u{a0}you {laughs}' },
      { startMs: 800, endMs: 1000, text: 'last\nof two lines' },
    ]);
    const target = { plan: { video: { drawnSubtitles: { kind: 'cues' as const, cues } } }, path };
    const [drawn = ''] = await writeDrawnSubtitles([target], { limits, signal: new AbortController().signal });
    // Without the backslash they would be markup.
    expect(await readFile(drawn, 'utf8')).toContain(String.raw`Hello${'\u{a0}'}you \{laughs}`);
  });
});

test('a script of shapes alone is drawn, and one that shows nothing is rejected', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 's.ass');
    const run = { limits, job: jobIn(folder) };
    const write = async (text: string): Promise<void> =>
      await writeFile(
        path,
        `[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname\nStyle: A,Sans\n\n[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\nDialogue: 0,0:00:00.10,0:00:00.50,A,,0,0,0,,${text}\n`,
      );
    await write(String.raw`{\an7\p1}m 0 0 l 100 0 100 100 0 100{\p0}`);
    const shapes = await openSubtitleFile(path, undefined, run);
    expect([shapes.cues.length, shapes.script?.events.length]).toEqual([0, 1]);
    await write(String.raw`{\an8\p0}`);
    await expect(openSubtitleFile(path, undefined, run)).rejects.toThrow('it has no text with a duration');
  });
});

test.each([
  [String.raw`{\p1}m 0 0 l 9 0`, true],
  [String.raw`{\an7}text{\bord0\p2\c}  m 0 0 l 9 0{\p0}`, true],
  [String.raw`{\p1}a{\p0}m 0 0`, false],
  [String.raw`{\p0}m 0 0 l 9 0`, false],
  [String.raw`{\p1}from m0`, false],
  [String.raw`{\p1 m 0 0`, false],
])('judges whether a script draws shapes: %s', (text, draws) => {
  expect(hasShapes(text)).toBe(draws);
});

test('a script of megabytes with a block that never closes is judged in time', () => {
  const startMs = performance.now();
  expect(hasShapes(`{${String.raw`\p1`.repeat(50_000)}`)).toBe(false);
  expect(hasShapes(String.raw`{\p1`.repeat(50_000))).toBe(false);
  expect(hasShapes(String.raw`{\p1}`.repeat(50_000))).toBe(false);
  expect(performance.now() - startMs).toBeLessThan(3000);
});

test('ASS spaces and braces survive the conversion from SubRip', async () => {
  await inFolder(async (folder) => {
    const path = join(folder, 's.ass');
    const head =
      '[Script Info]\nScriptType: v4.00+\n\n[V4+ Styles]\nFormat: Name, Fontname, Alignment\nStyle: A,Sans,2\n\n';
    const format = 'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n';
    const event = String.raw`Dialogue: 0,0:00:00.10,0:00:00.50,A,,0,0,0,,12\h%\N{\i1}\{laughs\}{\i0}`;
    await writeFile(path, `${head}[Events]\n${format}${event}\n`);
    const { cues, script } = await openSubtitleFile(path, undefined, { limits, job: jobIn(folder) });
    expect(cues).toMatchObject([{ startMs: 100, endMs: 500 }]);
    expect(cues[0]?.text.replaceAll(/<[^<>]*>/g, '')).toBe('12\u{a0}%\n{laughs}');
    expect(script?.events[0]?.text).toContain(String.raw`12\h%`);
  });
});
