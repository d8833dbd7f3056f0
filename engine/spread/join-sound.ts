import { rm } from 'node:fs/promises';
import { MalformedFile } from '../formats/malformed-file.ts';
import { MediaError } from '../media-error.ts';
import type { EncodedFile, EncodeTarget, Seams } from '../plan/encoded-file.ts';
import { CannotJoin } from '../sound/segmented/join/cannot-join.ts';
import { joinExactly } from '../sound/segmented/join/join-exactly.ts';
import { joinableCodecs } from '../sound/segmented/joinable-codecs.ts';
import type { Work } from '../work.ts';

/** A fetched segment of the sound of a target. */
export interface FetchedSound {
  path: string;
  cut: number;
  runIn: number;
  samples: number;
  isMended: boolean;
  seams: Seams;
  seamFrames: readonly number[];
}

/** Joins the segments of a target's sound, in order, to the file of a single encoder. Throws `segment_mismatch`. */
export async function joinSound(
  { plan, path }: EncodeTarget,
  segments: readonly FetchedSound[],
  work: Work,
): Promise<EncodedFile> {
  work.signal.throwIfAborted();
  try {
    return await joinSegments(plan, path, segments);
  } catch (error) {
    if (!(error instanceof CannotJoin || error instanceof MalformedFile)) throw error;
    throw new MediaError(
      'segment_mismatch',
      `The segments of the output ${plan.label} cannot be joined: ${error.message}.`,
      { details: plan.named, cause: error },
    );
  } finally {
    for (const segment of segments) await rm(segment.path, { force: true });
  }
}

async function joinSegments(
  { audio }: EncodeTarget['plan'],
  path: string,
  segments: readonly FetchedSound[],
): Promise<EncodedFile> {
  const codec = audio && joinableCodecs[audio.codec];
  const last = segments.at(-1);
  if (audio === undefined || codec === undefined || last === undefined) throw new CannotJoin('it is not divided');
  const { sampleRate } = audio;
  const samples = (last.cut - last.runIn) * codec.frameSamples(sampleRate) + last.samples;
  const joined = await joinExactly(codec, segments, path, samples, sampleRate);
  const isMended = segments.some((segment) => segment.isMended);
  const seams = [joined.seams, ...segments.map((segment) => segment.seams)];
  const within = segments.flatMap(({ cut, runIn, seamFrames }) => seamFrames.map((frame) => cut - runIn + frame));
  const seamFrames = [...joined.seamFrames, ...within].toSorted((one, other) => one - other);
  return {
    streams: { audio: { seconds: samples / sampleRate, isMended } },
    segments: seamFrames.length + 1,
    seams: {
      exact: seams.reduce((sum, { exact }) => sum + exact, 0),
      matched: seams.reduce((sum, { matched }) => sum + matched, 0),
    },
    seamFrames,
  };
}
