import { rm, writeFile } from 'node:fs/promises';
import { generatedGuards } from '../ffmpeg/guards.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import { formatAss } from '../formats/ass/ass.ts';
import { drawFilter } from './draw-filter.ts';
import type { TextRun } from './read-texts.ts';
import type { SubtitleText } from '../source/subtitle-track.ts';

/** Any header works: glyphs are searched before they are positioned. */
const head = `[Script Info]
ScriptType: v4.00+
WrapStyle: 2

[V4+ Styles]
Format: Name, Fontname, Fontsize
Style: Default,DejaVu Sans,16`;

/** Every font has the ASCII characters. */
const otherCharacters = /\P{ASCII}/gu;

/**
 * Finds characters of a text that no available font has. One picture with all of them is drawn, and libass reports the
 * missing ones (`fonts.conf`).
 */
export async function findUndrawn({ cues }: SubtitleText, path: string, { limits, job }: TextRun): Promise<string[]> {
  const characters = new Set(cues.flatMap(({ text }) => text.match(otherCharacters) ?? []));
  if (characters.size === 0) return [];
  const file = `${path}-characters.ass`;
  const event = { layer: 0, startMs: 0, endMs: 1000, text: `Default,,0,0,0,,${[...characters].join(' ')}` };
  await writeFile(file, formatAss({ head, events: [event] }));
  try {
    const { missingGlyphs } = await runFfmpeg({
      input: 'color=s=64x64:r=25:d=0.04',
      inputOptions: generatedGuards,
      outputs: [{ path: '-', options: ['-vf', drawFilter(file), '-f', 'null'] }],
      ...{ limits, signal: job.signal },
    });
    return [...missingGlyphs].map((code) => String.fromCodePoint(code)).filter((one) => characters.has(one));
  } finally {
    await rm(file, { force: true });
  }
}
