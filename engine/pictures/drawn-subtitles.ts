import { rm, writeFile } from 'node:fs/promises';
import { textGuards } from '../ffmpeg/guards.ts';
import type { PictureRun } from '../ffmpeg/picture.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import { formatAss } from '../formats/ass/ass.ts';
import { formatSubRip } from '../formats/subrip/subrip.ts';
import { withLiteralBraces } from '../subtitles/cue-markup.ts';
import { hundredthsOf } from '../subtitles/place-cues.ts';
import type { SubtitleContent, TextContent } from '../plan/subtitle-plan.ts';

/** Writes the burnt-in text of each output to a file next to its own; undefined without text. */
export async function writeDrawnSubtitles(
  targets: readonly { plan: { video: { drawnSubtitles?: SubtitleContent } }; path: string }[],
  run: PictureRun,
): Promise<(string | undefined)[]> {
  const paths: (string | undefined)[] = [];
  for (const { plan, path } of targets) {
    const { drawnSubtitles } = plan.video;
    const isText = drawnSubtitles !== undefined && drawnSubtitles.kind !== 'pictures';
    paths.push(isText ? `${path}-drawn.ass` : undefined);
    if (isText) await writeScript(drawnSubtitles, `${path}-drawn.ass`, run);
  }
  return paths;
}

/** Text without styles gets those of ffmpeg's filter `subtitles`, to which its ASS writer belongs. */
async function writeScript(content: TextContent, path: string, run: PictureRun): Promise<void> {
  if (content.kind === 'script') return await writeFile(path, formatAss(content.script));
  const input = `${path}.srt`;
  const cues = content.cues.map(({ text, startMs, endMs }) => ({
    text: withLiteralBraces(text),
    startMs: hundredthsOf(startMs),
    endMs: hundredthsOf(endMs),
  }));
  await writeFile(input, formatSubRip(cues));
  await runFfmpeg({
    ...{ ...run, input, inputOptions: [...textGuards(['srt']), '-f', 'srt'], onProgress: () => {} },
    outputs: [{ path, options: ['-c:s', 'ass', '-f', 'ass'] }],
  });
  await rm(input);
}
