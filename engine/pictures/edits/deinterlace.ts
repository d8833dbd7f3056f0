import type { VideoSettings } from '../../../contract/file-settings.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { turnBackFilters, turnFilters } from '../../ffmpeg/turn.ts';
import { type Rational, rationalText, valueOf } from '../../ffmpeg/rational.ts';
import type { FieldOrder, Scan } from '../../source/pictures/scan/judge-scan.ts';
import { findPulldownRate } from '../../source/pictures/pulldown.ts';
import { planTiming } from '../video-timing.ts';
import type { PictureEdit } from './picture-edit.ts';
import type { FieldPlan } from '../../plan/video-plan.ts';

/** Pixel formats of ffmpeg's filter `fieldmatch`. Others are deinterlaced. */
const matchedFormats = /^yuvj?4(?:44|22|20|11|10)p$/;

/** Decides the treatment of interlaced pictures. */
export function planFields(deinterlace: VideoSettings['deinterlace'], source: PictureSource): FieldPlan {
  const { scan, isInterlaced, pixelFormat, constantRate } = source;
  const order = scan === undefined || scan.kind === 'progressive' ? undefined : scan.order;
  if (deinterlace !== 'auto') return deinterlace ? { kind: 'all', order } : { kind: 'none' };
  if (scan === undefined) return { kind: isInterlaced ? 'flagged' : 'none' };
  if (scan.kind === 'progressive') return { kind: 'none' };
  if (scan.kind === 'mixed') return { kind: 'apparent', order: scan.order };
  const isMatched = scan.kind === 'telecined' && constantRate !== undefined && matchedFormats.test(pixelFormat);
  if (!isMatched) return { kind: 'all', order: scan.order };
  return { kind: 'inverse telecine', order: scan.order, from: constantRate };
}

/** Pictures per second after the treatment; undefined if the source's timing stays. */
function rateOfFields(
  plan: FieldPlan,
  deinterlace: VideoSettings['deinterlace'],
  { stamps, timeBase, constantRate, scan }: PictureSource,
): Rational | undefined {
  if (plan.kind === 'inverse telecine') return { num: plan.from.num * 4, den: plan.from.den * 5 };
  const isWhole = deinterlace === 'auto' && scan?.kind === 'progressive';
  if (!isWhole || constantRate !== undefined || stamps === undefined) return undefined;
  return findPulldownRate(stamps, timeBase);
}

/** Measured scan of the film, for the answer. */
function toldScan(scan: Scan | undefined, rate: Rational | undefined): Scan['kind'] | undefined {
  return rate === undefined ? scan?.kind : 'telecined';
}

/** ffmpeg's name of the field order. */
export const parityOf = (order: FieldOrder | undefined): string =>
  order === undefined ? 'auto' : order === 'upper first' ? 'tff' : 'bff';

/** ffmpeg filters for the treatment. */
function fieldFilters(plan: FieldPlan, { startTicks, timeBase }: PictureSource): string[] {
  switch (plan.kind) {
    case 'none':
      return [];
    case 'flagged':
      return ['bwdif=mode=send_frame:deint=interlaced'];
    case 'all':
      return [`bwdif=mode=send_frame:parity=${parityOf(plan.order)}:deint=all`];
    case 'apparent':
      // If most pictures are progressive, `idet` misjudges one in three; if all are interlaced, none. `fieldmatch` is
      // the reverse.
      return ['idet', 'bwdif=mode=send_frame:deint=interlaced'];
    case 'inverse telecine': {
      const start = (startTicks * valueOf(timeBase)).toFixed(6);
      return [
        // The filter `decimate` counts pictures and ignores the clock, so missing pictures must be filled in.
        `fps=fps=${rationalText(plan.from)}:start_time=${start}:round=near`,
        `fieldmatch=order=${parityOf(plan.order)}`,
        // Counts in ticks of the input. Five ticks are one picture of the film, so no time is rounded. One tick later,
        // because the next filter drops the last picture if it ends on the tick on which it starts.
        `settb=${rationalText({ num: plan.from.den, den: plan.from.num * 4 })}`,
        'setpts=PTS+1',
        'decimate=cycle=5',
      ];
    }
  }
}

/** Applies filters of lines to those that the source stores. Before all filters, ffmpeg turns pictures as it states. */
export function onStoredLines(filters: string[], { turn }: PictureSource): string[] {
  return filters.length === 0 ? [] : [...turnBackFilters[turn], ...filters, ...turnFilters[turn]];
}

export const deinterlace: PictureEdit = {
  plan({ settings, source }) {
    const fields = planFields(settings.deinterlace, source);
    const rate = rateOfFields(fields, settings.deinterlace, source);
    return {
      fields,
      sourceScan: settings.deinterlace === false ? undefined : toldScan(source.scan, rate),
      ...(rate !== undefined && { timing: planTiming(rate, source) }),
    };
  },
  onSource: ({ fields }, source) => onStoredLines(fieldFilters(fields, source), source),
  obstacleToCopy: ({ fields }) => (fields.kind === 'none' ? undefined : "the source's pictures are interlaced"),
};
