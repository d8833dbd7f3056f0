import { tagFilter } from '../ffmpeg/colour-tags.ts';
import { rationalText, valueOf } from '../ffmpeg/rational.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { PictureSource } from '../source/pictures/picture-source.ts';
import { appendFilters, type Overlays } from './edits/picture-edit.ts';
import { shapeChains } from './edits/size.ts';
import { pictureEdits } from './edits/table.ts';
import { skippedPictures } from './video-timing.ts';

/** Converts red, green and blue to the tagged colours, and full range to the limited range that every player takes. */
function colourOptions({ toneMap, colour, isFromRgb, isFromFullRange, isFullRange }: VideoPlan): string {
  if (toneMap !== undefined) return '';
  if (isFullRange) return ':in_range=pc:out_range=pc';
  const matrix = colour.space === 'bt2020nc' ? 'bt2020' : 'bt709';
  return `${isFromRgb ? `:out_color_matrix=${matrix}` : ''}${isFromRgb || isFromFullRange ? ':out_range=tv' : ''}`;
}

function colourTags({ toneMap, colour, isFromRgb, isFromFullRange, isFullRange }: VideoPlan): string[] {
  if (isFullRange) return ['setparams=range=pc'];
  if (toneMap !== undefined || isFromRgb) return [tagFilter(colour, false)];
  return isFromFullRange ? ['setparams=range=tv'] : [];
}

function shapePictures(plan: VideoPlan, label: string): string[][] {
  const { colour: tags, pixelFormat, isFullRange, timing } = plan;
  const fps = timing.kind === 'constant' ? timing.fps : undefined;
  return shapeChains(plan.shape, colourOptions(plan), label, {
    scaled: pictureEdits.flatMap((edit) => edit.onScaled?.(plan) ?? []),
    strips: { tags, pixelFormat, isFullRange, fps },
  });
}

const noOverlays: Overlays = { watermark: undefined, canvas: undefined, script: undefined };

/** Filters of one output, from `[input]` to `[output]`. */
export function pictureFilters(
  plan: VideoPlan,
  source: PictureSource,
  input: string,
  output: string,
  overlays: Overlays,
): string {
  const [first = [], ...later] = shapePictures(plan, output);
  const head = pictureEdits.flatMap((edit) => edit.onSource?.(plan, source) ?? []);
  const context = { source, overlays, label: output };
  const framed = pictureEdits.reduce(
    (chains, edit) => edit.onFrame?.(chains, plan, context) ?? chains,
    [[...head, ...first], ...later],
  );
  const chains = appendFilters(framed, [
    `setsar=${rationalText(plan.pixelAspect)}`,
    `format=${plan.pixelFormat}`,
    ...colourTags(plan),
    // One encoder writes the tags of the film's start. The source of a later segment may have changed them midway.
    ...(skippedPictures(plan.timing) > 0 ? [tagFilter(plan.colour, plan.isFullRange), 'setpts=PTS-STARTPTS'] : []),
  ]);
  return `[${input}]${chains.map((chain) => chain.join(',')).join(';')}[${output}]`;
}

/** Keeps the first of several pictures with equal times, as ffmpeg itself does at a variable rate. */
export function repeatedFilters({ hasRepeated }: PictureSource): string[] {
  return hasRepeated ? ['select=isnan(prev_pts)+gt(pts\\,prev_pts)'] : [];
}

/**
 * Filters for pictures as the decoder yields them. Pictures of a file that states only their order of decoding are
 * counted. Pictures before the first key frame refer to pictures that the file lacks.
 */
export function entryFilters(source: PictureSource): string[] {
  const { isInDecodingOrder, startsLate, startTicks, timeBase, constantRate } = source;
  const ticks = constantRate === undefined ? 0 : 1 / (valueOf(constantRate) * valueOf(timeBase));
  return [
    ...(isInDecodingOrder ? [`setpts=${startTicks}+round(N*${ticks})`] : []),
    ...(startsLate ? [`trim=start_pts=${startTicks}`] : []),
  ];
}

/** Codecs whose decoder names colours of its own, whatever the file states. */
const colouredByDecoder: ReadonlySet<string> = new Set(['dnxhd', 'vp8']);

/** Gives such pictures the colours that the file states. Tags that encoders cannot write are removed. */
export function statedTags({ codec, colour, isFullRange }: PictureSource): string[] {
  if (!colouredByDecoder.has(codec) && colour.hasUnwritten !== true) return [];
  const missing = colour.hasUnwritten && 'unknown';
  const tags = {
    colorspace: colour.space ?? missing,
    color_primaries: colour.primaries ?? missing,
    color_trc: colour.transfer ?? missing,
    range: isFullRange ? 'pc' : undefined,
  };
  const stated = Object.entries(tags).flatMap(([name, tag]) => (tag === undefined ? [] : `${name}=${tag}`));
  return stated.length === 0 ? [] : [`setparams=${stated.join(':')}`];
}

/** Filter graph of one decode for all outputs. Its results are `[v0]`, `[v1]` and so on. */
export function pictureGraph(
  plans: readonly VideoPlan[],
  source: PictureSource,
  overlays: readonly Overlays[],
): string {
  const labels = plans.map((_, index) => `d${index}`);
  const head = [
    ...entryFilters(source),
    ...statedTags(source),
    // `tpad` takes no palette, and ffmpeg would convert it to a format without transparency.
    ...(source.pixelFormat === 'pal8' ? ['format=bgra'] : []),
    ...repeatedFilters(source),
    // ffmpeg turns pictures upside down by reading their lines backwards, which makes SVT-AV1 hang.
    ...(source.isUpright ? [] : ['copy']),
    `split=${plans.length}${labels.map((label) => `[${label}]`).join('')}`,
  ];
  const outputs = plans.map((plan, index) =>
    pictureFilters(plan, source, labels[index] ?? '', `v${index}`, overlays[index] ?? noOverlays),
  );
  return [`[0:${source.index}]${head.join(',')}`, ...outputs].join(';');
}
