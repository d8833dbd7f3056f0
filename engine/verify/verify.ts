import { encodingOf } from '../../contract/audio-codecs.ts';
import type { OutputNaming } from '../../contract/unsupported-output.ts';
import type { EncodedStream } from '../../contract/http/output.ts';
import { MediaError } from '../media-error.ts';
import { findFragmentProblem, listBoxTypes } from '../formats/isobmff/fragment-index.ts';
import type { ProbedStream } from '../ffmpeg/probed.ts';
import type { CopyDecision } from '../plan/copy-decision.ts';
import { readPacketTimes } from '../copy/stream-times.ts';
import { type CheckRun, findDecodeProblem } from './decode-whole.ts';
import type { EncodedStreams } from '../plan/encoded-file.ts';
import { measureAudio } from './measure-output.ts';
import type { OutputPlan } from '../plan/planned-output.ts';
import { readStreams } from './read-streams.ts';
import type { SubtitlePlan } from '../plan/subtitle-plan.ts';
import { findSubtitleProblem } from '../subtitles/verify-subtitles.ts';
import { findSyncProblem } from './sync.ts';
import { findPictureProblem, measurePictures } from '../pictures/verify-pictures.ts';
import type { AudioPlan } from '../plan/audio-plan.ts';

/** Allowed difference of an output's duration from what was decoded (docs/reference/encode.md). */
const toleranceSeconds = 0.05;

function invalid({ label, named }: OutputNaming, reason: string): MediaError {
  return new MediaError(
    'output_invalid',
    `The output ${label} failed its verification: ${reason}. Nothing was uploaded.`,
    { details: named },
  );
}

/** A resampler returns nothing for a handful of samples. */
function tooShort({ label, named }: OutputNaming, { sampleRate }: AudioPlan): MediaError {
  return new MediaError(
    'undecodable_source',
    `The source is too short for the output ${label}: it does not have enough samples for one at ${sampleRate} Hz.`,
    { details: { ...named, sampleRate } },
  );
}

export interface VerifiedOutput {
  /** Seconds. */
  duration: number;
  /** Streams in the file. The bitrate is present only if the plan sets one. */
  streams: EncodedStream[];
}

/**
 * Reads or, if requested, decodes a finished output from start to end and compares it with its plan. `encoded` counts
 * what entered its encoders.
 */
export async function verifyOutput(
  path: string,
  plan: OutputPlan,
  encoded: EncodedStreams,
  run: CheckRun,
): Promise<VerifiedOutput> {
  const { signal } = run;
  if (plan.audio !== undefined && encoded.audio?.seconds === 0) throw tooShort(plan, plan.audio);
  const written = await readStreams(path, plan, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof MediaError && error.code === 'undecodable_source') throw invalid(plan, 'it cannot be read');
    throw error;
  });
  const ofFragments = plan.isFragmented === true ? findFragmentProblem(await listBoxTypes(path)) : undefined;
  if (ofFragments !== undefined) throw invalid(plan, ofFragments);
  const planned = [
    ...(plan.video === undefined ? [] : ['video']),
    ...(plan.audio === undefined ? [] : ['audio']),
    ...(plan.subtitles?.tracks.map(() => 'subtitle') ?? []),
  ];
  const found = written.map(({ codec_type }) => codec_type);
  if (found.join() !== planned.join()) throw invalid(plan, `it has the streams ${found.join(', ') || 'none'}`);
  const streams: EncodedStream[] = [];
  let duration = 0;
  const [video] = written;
  if (plan.video !== undefined && video !== undefined) {
    const measured = await measurePictures(path, video, plan.video, signal);
    const problem = findPictureProblem(plan.video, measured, encoded.video?.frames ?? 0, plan.container);
    if (problem !== undefined) throw invalid(plan, problem);
    duration = measured.seconds;
    streams.push({ ...measured.facts, ...copyFactsOf(plan.video) });
  }
  const audio = written.find(({ codec_type }) => codec_type === 'audio');
  if (plan.audio !== undefined && audio !== undefined) {
    const verified =
      plan.audio.isCopied === true
        ? await verifyCopiedSound(path, plan, audio, encoded.audio, signal)
        : await verifyAudio(path, plan, plan.audio, audio, encoded.audio?.seconds ?? 0);
    duration = Math.max(duration, verified.seconds);
    streams.push({ ...verified.stream, ...copyFactsOf(plan.audio) });
  }
  const { audio: encodedSound } = encoded;
  const ofSync =
    plan.audio !== undefined && encodedSound?.isMended === true
      ? await findSyncProblem(path, plan.audio, encodedSound.seconds, run)
      : undefined;
  if (ofSync !== undefined) throw invalid(plan, ofSync);
  const ofText = plan.subtitles && (await verifySubtitles(path, plan, plan.subtitles, written, run));
  if (ofText !== undefined) throw invalid(plan, ofText);
  const problem = plan.checks.verify === 'full' ? await findDecodeProblem(path, plan, encoded, run) : undefined;
  if (problem !== undefined) throw invalid(plan, problem);
  return { duration, streams };
}

async function verifySubtitles(
  path: string,
  { container }: OutputPlan,
  planned: SubtitlePlan,
  written: readonly ProbedStream[],
  run: CheckRun,
): Promise<string | undefined> {
  const streams = written.filter(({ codec_type }) => codec_type === 'subtitle');
  return await findSubtitleProblem(path, planned, container, streams, { limits: run.limits, job: run });
}

function copyFactsOf({ isCopied, notCopied }: CopyDecision): { copied?: true; notCopied?: string } {
  return { ...(isCopied === true && { copied: true }), ...(notCopied !== undefined && { notCopied }) };
}

/** Its packets were compared with the source's one by one when they were copied. */
async function verifyCopiedSound(
  path: string,
  plan: OutputPlan,
  { codec_name: codec, channels = 0, sample_rate: sampleRate = 0, nb_read_packets: found }: ProbedStream,
  copied: EncodedStreams['audio'],
  signal: AbortSignal,
): Promise<{ seconds: number; stream: EncodedStream }> {
  const { audio } = plan;
  if (channels !== audio?.channels || sampleRate !== audio.sampleRate) {
    throw invalid(plan, `its sound has ${channels} channels at ${sampleRate} Hz`);
  }
  if (found !== copied?.packets)
    throw invalid(plan, `it has ${found} packets of sound where ${copied?.packets} were copied`);
  const { shownStart, end, bytes } = await readPacketTimes(path, 0, signal);
  const bitrate = Math.round((bytes * 8) / 1000 / (end - shownStart));
  return { seconds: end, stream: { kind: 'audio', codec, bitrate, channels, sampleRate } };
}

async function verifyAudio(
  path: string,
  plan: OutputPlan,
  audio: AudioPlan,
  stream: ProbedStream,
  encodedSeconds: number,
): Promise<{ seconds: number; stream: EncodedStream }> {
  const measured = await measureAudio(plan.container, path, stream, audio.codec);
  if (measured === undefined) throw invalid(plan, 'its headers are not complete');
  const { probedName } = encodingOf(audio.codec, audio.samples);
  if (stream.codec_name !== probedName) throw invalid(plan, `its codec is ${stream.codec_name}`);
  if (stream.channels !== audio.channels) throw invalid(plan, `it has ${stream.channels} channels`);
  if (measured.sampleRate !== undefined && measured.sampleRate !== audio.sampleRate) {
    throw invalid(plan, `its rate is ${measured.sampleRate} Hz`);
  }
  const { packets } = measured;
  const found = stream.nb_read_packets ?? 0;
  if (packets !== undefined && (found < packets.atLeast || found > packets.atMost)) {
    throw invalid(plan, `it has ${found} packets where its length asks for ${packets.atLeast}`);
  }
  const excessSeconds = measured.seconds - encodedSeconds;
  if (excessSeconds < -toleranceSeconds || excessSeconds > toleranceSeconds + (measured.addedSeconds ?? 0)) {
    throw invalid(
      plan,
      `it is ${measured.seconds.toFixed(3)} s long where ${encodedSeconds.toFixed(3)} s were decoded`,
    );
  }
  const { bitrate, channels, sampleRate } = audio;
  return {
    seconds: measured.seconds,
    stream: { kind: 'audio', codec: probedName, ...(bitrate !== undefined && { bitrate }), channels, sampleRate },
  };
}
