import { formatCount } from '../../client/text/format-count.ts';
import type { EncodedOutput, EncodedStream } from '../../contract/http/output.ts';
import type { PictureScores, QualityFacts, ReachedTarget } from '../../contract/http/quality.ts';
import { formatPlace } from '../text/format-place.ts';

/** How large the pictures of an output are, and how many. */
export function formatPictures({ streams = [] }: EncodedOutput): string[] {
  return streams.flatMap((stream) => {
    if (stream.kind !== 'video') return [];
    const { width, height, fps, frames, sourceScan = 'progressive' } = stream;
    const found = sourceScan === 'progressive' ? '' : `, source found ${sourceScan}`;
    return [`${width} × ${height} pixels, ${fps} a second, ${formatCount(frames, 'frame')}${found}`];
  });
}

/** Lines of what was measured of its pictures, what was reached, and what was copied. */
export function formatChecks({ quality, target, streams = [] }: EncodedOutput): string[] {
  return [
    ...(quality === undefined ? [] : formatQuality(quality)),
    ...(target === undefined ? [] : [formatTarget(target)]),
    ...streams.flatMap(formatCopy),
  ];
}

function formatQuality({ vmaf, psnr, ssim }: QualityFacts): string[] {
  const scores = ({ mean, percentile1, worstSecond }: PictureScores, digits: number, unit = ''): string =>
    `${mean.toFixed(digits)}${unit}, 1st percentile ${percentile1.toFixed(digits)}, worst second ${worstSecond.value.toFixed(digits)} at ${formatPlace(worstSecond.at)}`;
  return [`VMAF ${scores(vmaf, 1)}`, `PSNR ${scores(psnr, 1, ' dB')}`, `SSIM ${scores(ssim, 4)}`];
}

function formatTarget({ crf, isReached }: ReachedTarget): string {
  return isReached ? `crf ${crf}, which reaches the target` : `crf ${crf}, which does not reach the target`;
}

function formatCopy({ kind, copied, notCopied }: EncodedStream): string[] {
  const what = kind === 'video' ? 'pictures' : 'sound';
  if (copied === true) return [`${what}: copied without loss`];
  return notCopied === undefined ? [] : [`${what}: encoded, and not copied, since ${notCopied}`];
}
