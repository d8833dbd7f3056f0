import { createHash } from 'node:crypto';
import { type ContainerName, containers } from '../../contract/formats.ts';

/**
 * ffmpeg options without which Ogg and Matroska contain random numbers. Two jobs of one run may write to the same
 * place, and the result describes only one of their files. The options also hide the version of ffmpeg.
 */
export function repeatableBytes(container: ContainerName, oggSerial = 0): string[] {
  const { muxer } = containers[container];
  const isOgg = muxer === 'ogg';
  const hasRandom = isOgg || muxer === 'matroska' || muxer === 'webm';
  return [...(hasRandom ? ['-fflags', '+bitexact'] : []), ...(isOgg ? ['-serial_offset', String(oggSerial)] : [])];
}

/**
 * Serial number of an Ogg stream. Files with other facts can be concatenated, which needs a different number in each
 * (RFC 3533, 4).
 */
export function oggSerialOf(facts: unknown): number {
  return createHash('sha256').update(JSON.stringify(facts)).digest().readUInt32BE() >>> 1;
}
