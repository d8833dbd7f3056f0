import type { AudioCodec } from '../../../contract/audio-codecs.ts';
import { type ContainerName, containers } from '../../../contract/formats.ts';
import type { OutputPlan } from '../output-plan.ts';

/** How ffmpeg is told to copy encoded sound beside pictures, so that its first sample that is heard is at 0. */
interface CopyOptions {
  input: readonly string[];
  output: readonly string[];
}

const asItIs: CopyOptions = { input: [], output: [] };

const fromZero = ['-bsf:a', 'setts=ts=max(TS\\,0)'];

/** Matroska has no times before 0, and ffmpeg 5.1 moves the pictures where sound has one. */
const intoMatroska: Partial<Record<AudioCodec, CopyOptions>> = {
  // 312 samples are not heard. CodecDelay says so, with the first packet at 0; one that was copied may be half a millisecond before.
  opus: { input: ['-itsoffset', '0.0065'], output: fromZero },
  // No sample comes out of the first packet, so that the second is at 0, too.
  vorbis: { input: [], output: fromZero },
};

/** (pure) */
export function soundCopyOptions({ audio, container }: OutputPlan): CopyOptions {
  if (audio === undefined || containers[container].demuxer !== 'matroska') return asItIs;
  return intoMatroska[audio.codec] ?? asItIs;
}

/** The files of sound that are copied from: of a kind that keeps where the first sample is, and the last. */
export const soundContainers: Record<AudioCodec, ContainerName> = {
  aac: 'm4a',
  alac: 'm4a',
  ac3: 'mp4',
  opus: 'ogg',
  vorbis: 'ogg',
  flac: 'flac',
  mp3: 'mp3',
  pcm: 'wav',
};
