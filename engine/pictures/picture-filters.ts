import type { PictureSource } from '../source/pictures/picture-source.ts';
import { type Rational, rationalText, valueOf } from '../ffmpeg/rational.ts';
import { fadeFilters } from './film-cut.ts';
import { tagFilter } from '../ffmpeg/colour-tags.ts';
import { drawFilter } from '../subtitles/draw-filter.ts';
import { padChains, type Strips } from './pad.ts';
import { viewFilters } from './picture-view.ts';
import { fieldFilters } from './scan/plan-fields.ts';
import { withCanvas } from './subtitle-canvas.ts';
import { toneMapFilters } from './tone-map.ts';
import type { VideoPlan } from '../plan/video-plan.ts';
import type { PictureShape, VideoTiming } from '../plan/video-plan.ts';
import { withWatermark } from './watermark.ts';
import type { Size } from '../ffmpeg/size.ts';

/** So many of the last picture at most make up for a source that ends a little before its last stamp says. */
const mostRepeatedFrames = 2;

/** More than figures are rounded by, and less than two pictures are apart. */
const roundingSeconds = 2e-6;

/**
 * Ends the stream where the plan has the end of the last picture. ffmpeg ends it where the packet says, and many files say nothing or too little of
 * their last one: on another grid `fps` would never show it, or not for its time. `setpts` is asked for the end, too, after the last picture.
 */
function endFilters({ timeBase, endTicks, stamps, constantRate }: PictureSource, fps: Rational): string[] {
  const last = stamps?.at(-1);
  const isKept = constantRate !== undefined && valueOf(constantRate) === valueOf(fps);
  if (last === undefined || isKept) return [];
  const shown = (last * valueOf(timeBase) - roundingSeconds).toFixed(6);
  const end = (endTicks * valueOf(timeBase)).toFixed(6);
  return [`setpts=if(gte(PREV_INT\\,${shown})\\,max(PTS\\,${end}/TB)\\,PTS)`];
}

/**
 * Puts pictures on the clock of the output. At a constant rate the filter `fps` repeats a picture where the next is missing and
 * leaves one out where two fall together; the count is that of the plan.
 */
function timingFilters(timing: VideoTiming, source: PictureSource): string[] {
  const { timeBase, isStamped, heldBack, constantRate, frames: sourceFrames } = source;
  if (timing.kind === 'constant') {
    const { fps, frames } = timing;
    // Where the file stamps no pictures, each comes with the time of the packet that brought it out of the decoder.
    const late = isStamped ? 0 : heldBack / valueOf(constantRate ?? fps);
    const startSeconds = timing.startSeconds + late;
    return [
      ...endFilters(source, fps),
      `fps=fps=${rationalText(fps)}:start_time=${startSeconds.toFixed(6)}:round=near:eof_action=pass`,
      `tpad=stop=${mostRepeatedFrames}:stop_mode=clone`,
      `trim=end_frame=${frames}`,
      'setpts=PTS-STARTPTS',
    ];
  }
  const { stamps, startTicks } = timing;
  const isCut = stamps.length < sourceFrames;
  return [
    `settb=${rationalText(timeBase)}`,
    ...(isCut ? [`trim=start_pts=${stamps[0]}:end_pts=${(stamps.at(-1) ?? 0) + 1}`] : []),
    `setpts=if(eq(N\\,0)\\,0\\,PTS-${startTicks})`,
  ];
}

const scale = ({ width, height }: Size, colour = ''): string =>
  `scale=w=${width}:h=${height}:flags=lanczos+accurate_rnd+full_chroma_int${colour}`;

const crop = ({ width, height }: Size): string => `crop=w=${width}:h=${height}`;

/** A blur of 20 pixels at 1080, and never more than the filter takes of a small picture. */
const blur = ({ width, height }: Size): string => `boxblur=lr=${Math.max(1, Math.round(Math.min(width, height) / 54))}`;

/** Red, green and blue become the colours that the tags say, and full range the limited one that every player takes. */
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

interface ShapeOptions {
  /** Behind the scaler: the size of the output is mostly the smaller one. */
  mapped?: readonly string[];
  strips?: Strips;
}

/** From `[input]` to the size of the output, in as many chains as it takes; what comes out goes on in the last. */
export function shapeChains(
  { size, scaled, background, pad }: PictureShape,
  colour: string,
  label: string,
  { mapped = [], strips }: ShapeOptions = {},
): string[][] {
  const isCut = scaled.width > size.width || scaled.height > size.height;
  const picture = [scale(scaled, colour), ...(isCut ? [crop(size)] : []), ...mapped];
  if (pad !== undefined && strips !== undefined) {
    return [
      [...picture, `format=${strips.pixelFormat}[${label}picture]`],
      ...padChains({ size, picture: scaled, colour: pad }, strips, label),
    ];
  }
  if (background === undefined) return [picture];
  return [
    [...(mapped.length === 0 ? [] : picture), `split=2[${label}back][${label}front]`],
    [`[${label}back]${scale(background, colour)}`, crop(size), `${blur(size)}[${label}blurred]`],
    [`[${label}front]${scale(scaled, colour)}[${label}scaled]`],
    [`[${label}blurred][${label}scaled]overlay=x=(W-w)/2:y=(H-h)/2:format=auto`],
  ];
}

function shapePictures(plan: VideoPlan, label: string): string[][] {
  const { colour: tags, pixelFormat, isFullRange, timing, toneMap } = plan;
  const fps = timing.kind === 'constant' ? timing.fps : undefined;
  const mapped = toneMap === undefined ? [] : toneMapFilters(toneMap);
  return shapeChains(plan.shape, colourOptions(plan), label, {
    mapped,
    strips: { tags, pixelFormat, isFullRange, fps },
  });
}

/** What lies over the pictures of an output: numbers of inputs, and a file. */
interface Overlays {
  watermark: number | undefined;
  canvas: number | undefined;
  script: string | undefined;
}

const noOverlays: Overlays = { watermark: undefined, canvas: undefined, script: undefined };

/** The filters of one output (pure): from `[input]` to `[output]`. */
export function pictureFilters(
  plan: VideoPlan,
  source: PictureSource,
  input: string,
  output: string,
  overlays: Overlays,
): string {
  const [first = [], ...later] = shapePictures(plan, output);
  const head = [
    ...fieldFilters(plan.fields, source),
    ...timingFilters(plan.timing, source),
    ...viewFilters(plan.view, source.pixelFormat),
    ...first,
  ];
  const marked = withWatermark([head, ...later], plan, overlays.watermark, output);
  const chains = withCanvas(marked, plan, source, overlays.canvas, output);
  const tail = [
    ...(chains.pop() ?? []),
    // In the format of the output, before which others would be put between.
    ...(overlays.script === undefined ? [] : [`format=${plan.pixelFormat}`, drawFilter(overlays.script)]),
    ...fadeFilters(plan.fade),
    `setsar=${rationalText(plan.pixelAspect)}`,
    `format=${plan.pixelFormat}`,
    ...colourTags(plan),
  ];
  return (
    [...chains, tail].map((chain, index) => `${index === 0 ? `[${input}]` : ''}${chain.join(',')}`).join(';') +
    `[${output}]`
  );
}

/** Of pictures with one time the first, as ffmpeg has it of itself where the rate varies (pure). */
export function repeatedFilters({ hasRepeated }: PictureSource): string[] {
  return hasRepeated ? ['select=isnan(prev_pts)+gt(pts\\,prev_pts)'] : [];
}

/** One decode for all outputs (pure): the graph whose results are `[v0]`, `[v1]`, and so on. */
export function pictureGraph(
  plans: readonly VideoPlan[],
  source: PictureSource,
  overlays: readonly Overlays[],
): string {
  const labels = plans.map((_, index) => `d${index}`);
  // What is shown before the first key frame refers to pictures that are not there.
  const entry = source.startsLate ? [`trim=start_pts=${source.startTicks}`] : [];
  const head = [
    ...entry,
    ...repeatedFilters(source),
    `split=${plans.length}${labels.map((label) => `[${label}]`).join('')}`,
  ];
  const outputs = plans.map((plan, index) =>
    pictureFilters(plan, source, labels[index] ?? '', `v${index}`, overlays[index] ?? noOverlays),
  );
  return [`[0:${source.index}]${head.join(',')}`, ...outputs].join(';');
}
