import type { DescribedStream, MediaFacts } from '../../contract/http/media.ts';

/** Some writers round the header's frame rate; a larger error misleads players. */
const mostRateError = 0.01;
/** Seconds; a player that seeks decodes from the previous key frame. */
const longGroup = 12;

/** Findings about a film's pictures, each a part of a sentence about the film. */
export function filmFindingsOf({ streams, pictures }: MediaFacts): string[] {
  const stream = streams.find(({ type, isCover }) => type === 'video' && isCover !== true);
  if (stream === undefined) return [];
  return [...lookFindings(stream), ...timingFindings(stream, pictures)];
}

function lookFindings({ color, isInterlaced, pixelAspect }: DescribedStream): string[] {
  return [
    ...(color?.hdr === undefined ? [] : [`is ${color.hdr.toUpperCase()} video: SDR screens need tone mapping`]),
    ...(isInterlaced === true ? ['is interlaced: modern screens need it deinterlaced'] : []),
    ...(pixelAspect === undefined ? [] : [`has non-square pixels: ${pixelAspect}`]),
  ];
}

function timingFindings({ fps: claimed }: DescribedStream, pictures: MediaFacts['pictures']): string[] {
  if (pictures === undefined) return ['the timestamps of its frames cannot be read'];
  const { isConstant, fps, frames, longestGroup } = pictures;
  const isWrong = claimed !== undefined && Math.abs(claimed / fps - 1) > mostRateError;
  return [
    ...(isConstant || frames < 3 ? [] : ['has a variable frame rate']),
    ...(isWrong ? [`declares ${claimed} fps, but has ${fps}`] : []),
    ...(longestGroup > longGroup ? [`has up to ${longestGroup} s between key frames: seeking is slow`] : []),
  ];
}
