import { expect, test } from 'vitest';
import { formatAss, parseAss } from '../../../engine/formats/ass/ass.ts';
import { planPackageSubtitles } from '../../../engine/products/package/plan-subtitles.ts';
import { planBurntSubtitles } from '../../../engine/subtitles/burnt-subtitles.ts';
import { planSubtitles } from '../../../engine/subtitles/plan-subtitles.ts';
import { contentFor, placeContent } from '../../../engine/subtitles/subtitle-content.ts';
import { findTextProblem } from '../../../engine/subtitles/verify-subtitles.ts';
import type { SubtitlePlan } from '../../../engine/plan/subtitle-plan.ts';
import type { SubtitleText, SubtitleTrack } from '../../../engine/source/subtitle-track.ts';
import { settleFile } from '../../support/settled-outputs.ts';

/** Plans an output that keeps a German track, from a file that lacks the packets of subtitles. */
function planPartial(container: 'mkv' | 'mp4', facts: Pick<SubtitleTrack, 'kind' | 'codec'>): SubtitlePlan | undefined {
  const marks = { isDefault: false, isForced: false, isForHardOfHearing: false };
  const track = { ...facts, track: 0, index: 2, language: 'deu', title: undefined, ...marks };
  const output = settleFile({ container, video: { codec: 'h264' }, subtitles: { keep: ['deu'] } });
  const window = { start: 0, seconds: 1 };
  const source = { subtitles: [track], pictures: { isPartial: true } } as const;
  return planSubtitles(output, source, () => ({ cues: [] }), { source: window, file: window, sound: window });
}

test.each([
  ['mkv', 'text', 'subrip'],
  ['mp4', 'text', 'subrip'],
  ['mkv', 'picture', 'hdmv_pgs_subtitle'],
] as const)('a segment of an %s that keeps subtitles of the kind %s does not need them', (container, kind, codec) => {
  expect(planPartial(container, { kind, codec })).toMatchObject({ tracks: [], left: [{ track: 0 }] });
});

test.each([
  ['mp4', 'picture', 'hdmv_pgs_subtitle'],
  ['mkv', 'other', 'eia_608'],
] as const)('a spread %s that cannot keep named subtitles of the kind %s is refused', (container, kind, codec) => {
  expect(() => planPartial(container, { kind, codec })).toThrow('the subtitles 0 of the source cannot be kept');
});

test('characters without a glyph are left out of many texts in time, and texts of nothing else are dropped', () => {
  const undrawn = Array.from({ length: 5000 }, (_, index) => String.fromCodePoint(0xf_0000 + index));
  const cues = undrawn.map((character, index) => ({ startMs: index, endMs: index + 1, text: `a${character}🎵b` }));
  const text = { cues: [...cues, { startMs: 5000, endMs: 6000, text: `<i>${undrawn[0]}</i>` }], undrawn };
  const link = { url: 'https://media.test/a.srt' };
  const output = settleFile({ container: 'mp4', video: { codec: 'h264' }, subtitles: { burn: { link } } } as never);
  const window = { start: 0, seconds: 10 };
  const startMs = performance.now();
  const burnt = planBurntSubtitles(
    ...([output, { subtitles: [] }, () => text, { source: window, file: window, sound: window }] as const),
    { colour: { space: undefined, primaries: undefined, transfer: undefined }, pixelFormat: 'yuv420p' },
  );
  expect(performance.now() - startMs).toBeLessThan(2000);
  const drawn = burnt?.content.kind === 'cues' ? burnt.content.cues : [];
  expect([drawn.length, ...new Set(drawn.map((cue) => cue.text))]).toEqual([5000, 'a🎵b']);
});

test('files on the clock of the sound are placed by it, as tracks and on the pictures, and other files by the film', () => {
  const [soundFile, filmFile] = [
    { url: 'https://media.test/a.vtt', clock: 'sound' as const },
    { url: 'https://media.test/a.srt' },
  ];
  const subtitles = { add: [soundFile, filmFile], burn: soundFile };
  const output = settleFile({ container: 'mkv', video: { codec: 'h264' }, subtitles });
  const windows = {
    ...{ source: { start: 9, seconds: 10 }, file: { start: 0.5, seconds: 10 } },
    sound: { start: -0.977, seconds: 10 },
  };
  const cues = [{ startMs: 1000, endMs: 2000, text: 'one' }];
  const planned = planSubtitles(output, { subtitles: [] }, () => ({ cues }), windows);
  const colour = { space: undefined, primaries: undefined, transfer: undefined };
  const facts = { colour, pixelFormat: 'yuv420p' };
  const burnt = planBurntSubtitles(output, { subtitles: [] }, () => ({ cues }), windows, facts);
  const at = (startMs: number) => ({ content: { cues: [{ startMs, endMs: startMs + 1000 }] } });
  expect(planned?.tracks).toMatchObject([at(1977), at(500)]);
  expect(burnt).toMatchObject(at(1977));
});

test('a text whose merged overlaps are too long for an MP4 is refused before anything is encoded', () => {
  const cues = Array.from({ length: 50_000 }, (_, index) => ({
    startMs: index,
    endMs: index + 8,
    text: 'x'.repeat(160),
  }));
  const marks = { isDefault: false, isForced: false, isForHardOfHearing: false };
  const track = {
    track: 0,
    index: 2,
    codec: 'subrip',
    kind: 'text',
    language: 'deu',
    title: undefined,
    ...marks,
  } as const;
  const window = { start: 0, seconds: 60 };
  const plan = (container: 'mkv' | 'mp4', subtitles: object) =>
    planSubtitles(
      settleFile({ container, video: { codec: 'h264' }, subtitles }),
      { subtitles: [track], texts: new Map([[track, { cues }]]) },
      () => ({ cues }),
      { source: window, file: window, sound: window },
    );
  const add = [{ url: 'https://media.test/a.srt' }];
  expect(() => plan('mp4', { add })).toThrow('it has more than 16 MiB after overlapping texts are merged');
  expect(() => plan('mp4', { keep: ['deu'] })).toThrow('they have more than 16 MiB after overlapping texts are merged');
  expect(plan('mp4', { keep: true })).toMatchObject({ tracks: [], left: [{ track: 0 }] });
  expect(plan('mkv', { keep: ['deu'], add })?.tracks).toHaveLength(2);
});

test.each(['mp4', 'mkv'] as const)('an %s leaves out an added file of whose texts its trim shows none', (container) => {
  const track = { track: 0, index: 2, codec: 'subrip', kind: 'text', language: 'deu', title: undefined } as const;
  const kept = { ...track, isDefault: true, isForced: false, isForHardOfHearing: false };
  const cues = [{ startMs: 1000, endMs: 5000, text: 'Hello' }];
  const script = { head: '', events: [{ layer: 0, startMs: 1000, endMs: 5000, text: 'Default,,0,0,0,,Hello' }] };
  const late = [{ startMs: 12_000, endMs: 13_000, text: 'Late' }];
  const window = { start: 10, seconds: 10 };
  const add = [{ url: 'https://media.test/a.ass', default: true }];
  const plan = (trim: object | undefined, file: SubtitleText) => {
    const output = settleFile({ container, video: { codec: 'h264' }, subtitles: { keep: true, add }, trim });
    const source = { subtitles: [kept], texts: new Map([[kept, { cues: late }]]) };
    const windows = { source: window, file: window, sound: window };
    return [planSubtitles, planPackageSubtitles].map((planned) => planned(output, source, () => file, windows));
  };
  const [ofFile, ofPackage] = plan({ start: 10, end: 20 }, { cues, script });
  expect(ofFile).toMatchObject({ tracks: [{ language: 'deu', isDefault: true }], left: [] });
  expect(ofPackage).toMatchObject({ tracks: [{ cues: [{ text: 'Late' }], isDefault: true }] });
  expect(() => plan(undefined, { cues, script })).toThrow('their times are all outside of it');
  if (container === 'mp4') expect(() => plan({ start: 10 }, { cues: [], script })).toThrow('shapes without text');
});

test('a script has the texts that last until another hundredth of a second', () => {
  const event = (startMs: number, endMs: number) => ({ layer: 0, startMs, endMs, text: 'Default,,0,0,0,,one' });
  // At 24000/1001 pictures per second, a cut to 5.17 s ends with its last picture at 5.1718 s.
  const script = { head: '[Script Info]', events: [event(1000, 5170), event(5170, 7000)] };
  const whole = { start: 0, seconds: 5.1718 };
  for (const [content, times] of [
    [contentFor('ass', { cues: [], script }, whole), [[1000, 5170]]],
    [contentFor('ass', { cues: [], script }, { start: 5.1675, seconds: 1.0008 }), [[0, 1000]]],
    [placeContent({ kind: 'script', script }, { start: 0.5051, seconds: 4.667 }), [[490, 4660]]],
  ] as const) {
    if (content.kind !== 'script') throw new Error('No script');
    expect(content.script.events.map(({ startMs, endMs }) => [startMs, endMs])).toEqual(times);
    expect(findTextProblem(content, { cues: [], script: parseAss(formatAss(content.script)) })).toBeUndefined();
  }
});
