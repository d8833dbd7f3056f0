import type { VideoSettings } from '../../../contract/file-settings.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { type Rational, rationalText, valueOf } from '../../ffmpeg/rational.ts';
import type { FieldOrder, Scan } from '../../source/pictures/scan/judge-scan.ts';
import { findPulldownRate } from './pulldown.ts';
import type { FieldPlan } from '../../plan/video-plan.ts';

/** What ffmpeg's filter `fieldmatch` takes; others are deinterlaced. */
const matchedFormats = /^yuvj?4(?:44|22|20|11|10)p$/;

/** Decides what is done about them (pure). */
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

/** Pictures a second that are left; undefined: those of the source, as they come (pure). */
export function rateOfFields(
  plan: FieldPlan,
  deinterlace: VideoSettings['deinterlace'],
  { stamps, timeBase, constantRate, scan }: PictureSource,
): Rational | undefined {
  if (plan.kind === 'inverse telecine') return { num: plan.from.num * 4, den: plan.from.den * 5 };
  const isWhole = deinterlace === 'auto' && scan?.kind === 'progressive';
  if (!isWhole || constantRate !== undefined || stamps === undefined) return undefined;
  return findPulldownRate(stamps, timeBase);
}

/** What a film was found to be, for its answer (pure). */
export function toldScan(scan: Scan | undefined, rate: Rational | undefined): Scan['kind'] | undefined {
  return rate === undefined ? scan?.kind : 'telecined';
}

/** ffmpeg's name. */
export const parityOf = (order: FieldOrder | undefined): string =>
  order === undefined ? 'auto' : order === 'upper first' ? 'tff' : 'bff';

/** ffmpeg's filters for it (pure). */
export function fieldFilters(plan: FieldPlan, { startTicks, timeBase }: PictureSource): string[] {
  switch (plan.kind) {
    case 'none':
      return [];
    case 'flagged':
      return ['bwdif=mode=send_frame:deint=interlaced'];
    case 'all':
      return [`bwdif=mode=send_frame:parity=${parityOf(plan.order)}:deint=all`];
    case 'apparent':
      // Where most is whole `idet` errs on one picture in three, and where all is of fields on none; `fieldmatch` the other way round.
      return ['idet', 'bwdif=mode=send_frame:deint=interlaced'];
    case 'inverse telecine': {
      const start = (startTicks * valueOf(timeBase)).toFixed(6);
      return [
        // The filter `decimate` counts pictures and looks at no clock: what is missing has to be there.
        `fps=fps=${rationalText(plan.from)}:start_time=${start}:round=near`,
        `fieldmatch=order=${parityOf(plan.order)}`,
        // It counts in ticks of its input: five of these are a picture of the film, and no time is rounded. One later, since the last picture is dropped
        // by the next filter where it ends on the tick on which it begins.
        `settb=${rationalText({ num: plan.from.den, den: plan.from.num * 4 })}`,
        'setpts=PTS+1',
        'decimate=cycle=5',
      ];
    }
  }
}
