import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { MediaError } from '../media-error.ts';
import { isDecodeRefusal } from '../ffmpeg/failure.ts';
import { timeStampFilter } from '../ffmpeg/gap-filter.ts';
import { joinedPartGuards } from '../ffmpeg/guards.ts';
import { runFfmpeg } from '../ffmpeg/run.ts';
import { subfileUrl } from '../ffmpeg/subfile.ts';
import { findJoinedParts } from '../formats/joined-parts.ts';
import type { Work } from '../work.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { joinClocks } from './transport-stream/join-clocks.ts';
import { bytesPerSecondOf, concatOptions, decodeToDisk, mostInputs } from './raw-samples.ts';
import type { AudioSource, Source } from './source.ts';

/**
 * Joins a source that consists of several concatenated files (chained Ogg, FLAC after FLAC, consecutive browser
 * recordings). ffmpeg would stop after the first, insert silence between them or lose samples. Each part is decoded
 * separately, at the rate and channel layout of the first, into a file in the job's folder. The parts of a transport
 * stream are put on one clock. Any other source is returned unchanged.
 */
export async function joinSource(source: Source, limits: RunLimits, job: Work): Promise<Source> {
  if (source.formatName === 'mpegts') return await joinClocks(source, limits, job);
  const { audio } = source;
  const parts = await findJoinedParts(source.path, source.formatName, job.signal);
  if (parts.length === 1 || audio === undefined) return source;
  const [demuxer = ''] = source.formatName.split(',');
  const inputs = parts.map(({ from, to }) => subfileUrl(source.path, from, to));
  const path = join(job.folder, 'joined');
  const request = { inputs, demuxer, path, audio };
  const samples = await joinInputs(request, limits, job).catch(async (error: unknown) => {
    // With many parts, the reason may be missing among ffmpeg's last lines.
    if (!isDecodeRefusal(error)) throw error;
    return await joinHeard(request, limits, job);
  });
  if (samples === undefined) return source;
  const file = { path, formatName: 'caf', estimatedSeconds: samples / audio.sampleRate };
  const { stampScale: _, hidesStart: __, ...facts } = audio;
  const place = { ...file, track: 0, leadSeconds: 0 };
  const joined: AudioSource = { ...facts, ...place, isDecoded: true, declaredSeconds: undefined };
  return { ...source, ...file, audio: joined, tracks: [joined] };
}

interface JoinRequest {
  inputs: readonly string[];
  /** Demuxer of all parts. */
  demuxer: string;
  /** Path of the file to write. */
  path: string;
  audio: AudioSource;
}

/** Joins only the parts with sound. Returns undefined if there are fewer than two. */
async function joinHeard(request: JoinRequest, limits: RunLimits, job: Work): Promise<number | undefined> {
  const inputs: string[] = [];
  for (const input of request.inputs) {
    if (await hasSound(input, request, limits, job.signal)) inputs.push(input);
    job.advance('probe', undefined);
  }
  return inputs.length < 2 ? undefined : await joinInputs({ ...request, inputs }, limits, job);
}

/** Returns the number of samples of all parts. */
async function joinInputs(request: JoinRequest, limits: RunLimits, job: Work): Promise<number> {
  const { inputs, demuxer, path, audio } = request;
  if (inputs.length > mostInputs) return await joinGroups(request, limits, job);
  const [input = '', ...furtherInputs] = inputs;
  const run = {
    input,
    furtherInputs: furtherInputs.map((further) => ({ path: further })),
    inputOptions: joinedPartGuards(demuxer),
    ...{ path, options: joinArguments(audio, inputs.length) },
  };
  return await decodeToDisk(run, bytesPerSecondOf(audio), limits, job);
}

/** Joins groups of parts, as in a week of radio, and then the files of the groups. */
async function joinGroups(request: JoinRequest, limits: RunLimits, job: Work): Promise<number> {
  const { inputs, path, audio } = request;
  const files: string[] = [];
  const { stampScale: _, ...facts } = audio;
  const later = { ...facts, leadSeconds: 0 };
  for (let from = 0; from < inputs.length; from += mostInputs) {
    // The groups of such files have other names, because they are fewer.
    const file = `${path}-${inputs.length}-${from}`;
    // Only the first part has silence before late audio.
    const ofGroup = from === 0 ? audio : later;
    await joinInputs(
      { ...request, inputs: inputs.slice(from, from + mostInputs), path: file, audio: ofGroup },
      limits,
      job,
    );
    files.push(file);
  }
  const { hidesStart: __, ...joined } = { ...later, formatName: 'caf', track: 0 };
  const samples = await joinInputs({ inputs: files, demuxer: 'caf', path, audio: joined }, limits, job);
  await Promise.all(files.map((file) => rm(file)));
  return samples;
}

/** The last part may consist of its header alone. */
async function hasSound(
  input: string,
  { demuxer, audio }: JoinRequest,
  limits: RunLimits,
  signal: AbortSignal,
): Promise<boolean> {
  const outputs = [{ path: '-', options: ['-map', `0:a:${audio.track}`, '-frames:a', '1', '-f', 'null'] }];
  const run = { input, inputOptions: joinedPartGuards(demuxer), outputs, limits, signal };
  try {
    const { encodedSamples } = await runFfmpeg(run);
    return (encodedSamples.get(0) ?? 0) > 0;
  } catch (error) {
    if (error instanceof MediaError && error.code === 'undecodable_source') return false;
    throw error;
  }
}

function joinArguments(source: AudioSource, count: number): string[] {
  const { track, sampleRate, channelLayout, leadSeconds, stampScale, hidesStart, formatName, codec } = source;
  const time = { formatName, codec, ...(hidesStart !== undefined && { hidesStart }) };
  // Only the first part can lack its header, or start late.
  const first = { ...time, leadSeconds, ...(stampScale !== undefined && { stampScale }) };
  const layouts = channelLayout === undefined ? '' : `:channel_layouts=${channelLayout}`;
  const graph = Array.from(
    { length: count },
    (_, index) =>
      `[${index}:a:${track}]${timeStampFilter(index === 0 ? first : time)},aresample=${sampleRate},aformat=sample_rates=${sampleRate}${layouts}[${index}]`,
  );
  return concatOptions(graph, source);
}
