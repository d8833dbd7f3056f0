import { join } from 'node:path';
import { timeStampFilter } from '../../ffmpeg/gap-filter.ts';
import { joinedPartGuards } from '../../ffmpeg/guards.ts';
import type { RunLimits } from '../../ffmpeg/limits.ts';
import { readSoundStarts } from '../../ffmpeg/sound-starts.ts';
import type { Work } from '../../work.ts';
import { bytesPerSecondOf, concatOptions, decodeToDisk, mostInputs } from '../raw-samples.ts';
import type { AudioSource, Source } from '../source.ts';
import { ticksPerSecond } from './packet.ts';

/** A part of a transport stream on one clock. */
export interface PlacedPart {
  /** ffmpeg's URL. */
  input: string;
  /** Ticks at which the part starts. */
  start: number;
  /** Sample rate and channels of each audio stream. */
  sounds: readonly string[];
}

/**
 * Decodes the sound of parts whose sample rates or channels differ, each in its place and in the shape of the first.
 * ffmpeg times the packets by the rate of the first part, and its filters drop what they hold when the rate changes. A
 * source of several tracks keeps its packets.
 */
export async function joinSounds(
  source: Source,
  parts: readonly PlacedPart[],
  limits: RunLimits,
  job: Work,
): Promise<Source> {
  const { audio, tracks } = source;
  const isOfOneShape = new Set(parts.map(({ sounds }) => sounds.join())).size === 1;
  const isDecodable =
    tracks.length === 1 && parts.length <= mostInputs && parts.every(({ sounds }) => sounds.length === 1);
  if (audio === undefined || isOfOneShape || !isDecodable) return source;
  const [heard] = (await readSoundStarts(source.path, [], job.signal)).values();
  const [, second] = parts;
  // The first sound starts in a later part.
  if (heard === undefined || second === undefined || heard * ticksPerSecond >= second.start) return source;
  const path = join(job.folder, 'joined');
  const [first = '', ...others] = parts.map(({ input }) => input);
  const run = {
    ...{ input: first, furtherInputs: others.map((input) => ({ path: input })) },
    inputOptions: [...joinedPartGuards(source.formatName), '-copyts'],
    ...{ path, options: joinArguments(audio, heard, parts) },
  };
  const samples = await decodeToDisk(run, bytesPerSecondOf(audio), limits, job);
  const estimatedSeconds = samples / audio.sampleRate + audio.leadSeconds;
  const joined: AudioSource = { ...audio, path, formatName: 'caf', estimatedSeconds, isDecoded: true };
  return { ...source, audio: joined, tracks: [joined] };
}

/** The file starts with the first sound. Each part is filled to its end with silence. */
function joinArguments(source: AudioSource, heardSeconds: number, parts: readonly PlacedPart[]): string[] {
  const { sampleRate, channelLayout } = source;
  const layouts = channelLayout === undefined ? '' : `:channel_layouts=${channelLayout}`;
  const sampleAt = (ticks: number): number => Math.round((ticks / ticksPerSecond) * sampleRate);
  const starts = parts.map(({ start }, index) =>
    index === 0 ? Math.round(heardSeconds * sampleRate) : sampleAt(start),
  );
  const graph = parts.map((_, index) => {
    const [from = 0, to] = [starts[index], starts[index + 1]];
    const filters = [
      timeStampFilter(),
      `aformat=sample_rates=${sampleRate}${layouts}`,
      `aresample=async=1:first_pts=${from}`,
      'asetpts=N',
      ...(to === undefined ? [] : [`apad=whole_len=${to - from}`, `atrim=end_sample=${to - from}`]),
    ];
    return `[${index}:a:0]${filters.join(',')}[${index}]`;
  });
  return concatOptions(graph, source);
}
