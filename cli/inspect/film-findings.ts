import type { DescribedStream, MediaFacts } from '../../contract/http/media.ts';

/** The header's rate is rounded by some writers; what is farther from the pictures than this misleads players. */
const mostRateError = 0.01;
/** Seconds; a player that is sent to a place decodes from the key frame before. */
const longGroup = 12;

/** What of a film's pictures a person should look at, each a part of a sentence about it (pure). */
export function filmFindingsOf({ streams, pictures }: MediaFacts): string[] {
  const stream = streams.find(({ type, isCover }) => type === 'video' && isCover !== true);
  if (stream === undefined) return [];
  return [...lookFindings(stream), ...timingFindings(stream, pictures)];
}

function lookFindings({ color, isInterlaced, pixelAspect }: DescribedStream): string[] {
  return [
    ...(color?.hdr === undefined ? [] : [`is in ${color.hdr.toUpperCase()}: ordinary screens need it mapped`]),
    ...(isInterlaced === true ? ['is interlaced: screens of today need it deinterlaced'] : []),
    ...(pixelAspect === undefined ? [] : [`has pixels that are no squares: ${pixelAspect}`]),
  ];
}

function timingFindings({ fps: claimed }: DescribedStream, pictures: MediaFacts['pictures']): string[] {
  if (pictures === undefined) return ['the times of its pictures cannot be read'];
  const { isConstant, fps, frames, longestGroup } = pictures;
  const isWrong = claimed !== undefined && Math.abs(claimed / fps - 1) > mostRateError;
  return [
    ...(isConstant || frames < 3 ? [] : ['has a frame rate that varies']),
    ...(isWrong ? [`claims ${claimed} frames a second, and has ${fps}`] : []),
    ...(longestGroup > longGroup ? [`has up to ${longestGroup} s without a key frame: jumping into it is slow`] : []),
  ];
}
