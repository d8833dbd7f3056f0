import type { AudioCodec } from '../../contract/audio-codecs.ts';
import { containers } from '../../contract/formats.ts';
import { isDecodeRefusal } from '../ffmpeg/failure.ts';
import { finishedFileGuards } from '../ffmpeg/guards.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import type { FinalStatistics } from '../ffmpeg/statistics.ts';
import { opusSampleRate } from '../formats/ogg/opus.ts';
import type { EncodedStreams } from '../plan/encoded-file.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { addedSeconds } from './measure-output.ts';
import type { OutputPlan } from '../plan/planned-output.ts';

export interface CheckRun {
  limits: RunLimits;
  /** Folder for data extracted from the file. */
  folder: string;
  signal: AbortSignal;
  /** Receives the finished fraction of the check, from 0 to 1. */
  advance(fraction?: number): void;
}

/** The first damaged packet, or one that violates its codec's standard, ends the run. */
export const strictOptions = ['-xerror', '-err_detect', 'crccheck+bitstream+buffer+explode'];

/** Seconds by which counted samples may differ if rates differ: less than the smallest packet. */
const toleranceSeconds = 0.001;

/**
 * Decodes a finished file from start to end. Returns the problem as the rest of a sentence. Undefined if every picture
 * and sample that entered its encoders is present and no decoder complained.
 */
export async function findDecodeProblem(
  path: string,
  plan: OutputPlan,
  encoded: EncodedStreams,
  { limits, signal, advance }: Omit<CheckRun, 'folder'>,
): Promise<string | undefined> {
  const seconds = Math.max(encoded.audio?.seconds ?? 0, encoded.video?.seconds ?? 0);
  // `V` excludes covers.
  const options = [
    ...(plan.video === undefined ? [] : ['-map', '0:V:0', '-fps_mode', 'passthrough']),
    ...(plan.audio === undefined ? [] : ['-map', '0:a:0']),
    ...['-f', 'null'],
  ];
  try {
    const decoded = await runFfmpeg({
      input: path,
      inputOptions: [...finishedFileGuards(containers[plan.container].demuxer), ...strictOptions],
      outputs: [{ path: '-', options }],
      ...{ limits, signal },
      onProgress: ({ mediaSeconds }) => advance(mediaSeconds / seconds),
    });
    return countProblem(plan, encoded, decoded);
  } catch (error) {
    if (isDecodeRefusal(error)) return 'it cannot be decoded to its end without an error';
    throw error;
  }
}

const rateOf = (codec: AudioCodec, sampleRate: number): number => (codec === 'opus' ? opusSampleRate : sampleRate);

/** Describes missing or surplus pictures and samples. */
function countProblem(
  plan: Pick<OutputPlan, 'audio' | 'video'>,
  encoded: EncodedStreams,
  { encodedFrames, encodedSamples }: Pick<FinalStatistics, 'encodedFrames' | 'encodedSamples'>,
): string | undefined {
  const frames = encodedFrames.get(0) ?? 0;
  if (plan.video !== undefined && frames !== encoded.video?.frames) {
    return `it decodes to ${frames} pictures, but ${encoded.video?.frames ?? 0} were encoded`;
  }
  // Copied sound may extend beyond the packets' times at both ends.
  if (plan.audio === undefined || plan.audio.isCopied === true) return undefined;
  const { codec, sampleRate } = plan.audio;
  const planned = encoded.audio?.seconds ?? 0;
  const found = (encodedSamples.get(0) ?? 0) / rateOf(codec, sampleRate);
  const most = planned + toleranceSeconds + addedSeconds(codec, sampleRate);
  if (found >= planned - toleranceSeconds && found <= most) return undefined;
  return `it decodes to ${found.toFixed(3)} s of sound, but ${planned.toFixed(3)} s were encoded`;
}
