import { formatCount } from '../../client/text/format-count.ts';
import type { EncodedOutput, EncodedStream } from '../../contract/http/output.ts';
import type { PictureScores, QualityFacts, ReachedTarget } from '../../contract/http/quality.ts';
import { formatPlace } from '../text/format-place.ts';

/** Size, frame rate and number of frames of an output's video streams. */
export function formatPictures({ streams = [] }: EncodedOutput): string[] {
  return streams.flatMap((stream) => {
    if (stream.kind !== 'video') return [];
    const { width, height, fps, frames, sourceScan = 'progressive' } = stream;
    const found = sourceScan === 'progressive' ? '' : `, source is ${sourceScan}`;
    return [`${width} × ${height} pixels, ${fps} fps, ${formatCount(frames, 'frame')}${found}`];
  });
}

/** Lines for measured quality, the reached target and copied streams. */
export function formatChecks({ quality, target, streams = [] }: EncodedOutput): string[] {
  return [
    ...(quality === undefined ? [] : formatQuality(quality)),
    ...(target === undefined ? [] : [formatTarget(target)]),
    ...streams.flatMap(formatCopy),
  ];
}

function formatTarget({ crf, isReached, scenes }: ReachedTarget): string {
  const own =
    scenes === undefined
      ? ''
      : ` (${scenes.leastCrf} to ${scenes.greatestCrf} in ${formatCount(scenes.count, 'scene')})`;
  return `CRF ${crf}${own}, ${isReached ? 'reaches' : 'does not reach'} the target`;
}

function formatQuality({ vmaf, psnr, ssim }: QualityFacts): string[] {
  const scores = ({ mean, percentile1, worstSecond }: PictureScores, digits: number, unit = ''): string =>
    `${mean.toFixed(digits)}${unit}, 1st percentile ${percentile1.toFixed(digits)}, worst second ${worstSecond.value.toFixed(digits)} at ${formatPlace(worstSecond.at)}`;
  return [`VMAF ${scores(vmaf, 1)}`, `PSNR ${scores(psnr, 1, ' dB')}`, `SSIM ${scores(ssim, 4)}`];
}

function formatCopy({ kind, copied, notCopied }: EncodedStream): string[] {
  if (copied === true) return [`${kind}: copied without re-encoding`];
  return notCopied === undefined ? [] : [`${kind}: encoded instead of copied, because ${notCopied}`];
}
