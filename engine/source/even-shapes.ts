import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { decodeGuards } from '../ffmpeg/guards.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { RunLimits } from '../ffmpeg/limits.ts';
import { errorFacts } from '../../tracing/error-facts.ts';
import { MediaError } from '../media-error.ts';
import type { Work } from '../work.ts';
import { bytesPerSecondOf, decodeToDisk, rawShapeOf } from './raw-samples.ts';
import { type AudioSource, type Source, withTracks } from './source.ts';

/** Broadcasts: every frame of sound has a header, which damage or another programme may change. */
const broadcastFormats = /^mpeg(?:ts)?$/;

/** Formats to which broadcasts are copied, and the codecs of which each frame has such a header in a copy, too. */
const copiedFormats = /^(?:matroska|mov|flv)/;
const changingCodecs = /^(?:e?ac3|mp[123])$/;

const mayChange = ({ formatName, codec }: AudioSource): boolean =>
  broadcastFormats.test(formatName) || (copiedFormats.test(formatName) && changingCodecs.test(codec));

/**
 * Decodes the sound of a broadcast, or of a copy of one, to one shape if its sample rate or its channels change. At a
 * change, ffmpeg rebuilds its filters. The new filters would not fill a gap at the change, so that all later sound would
 * be early. They would also repeat the silence before late sound. The samples keep their timestamps. Other sources are
 * returned unchanged.
 */
export async function evenShapes(
  source: Source,
  used: ReadonlySet<AudioSource>,
  limits: RunLimits,
  job: Work,
): Promise<Source> {
  const changing: AudioSource[] = [];
  for (const track of [...used].filter(mayChange)) {
    if (track.path === source.path && (await changesShape(track, limits, job))) changing.push(track);
  }
  const [filler] = changing;
  if (filler === undefined) return source;
  const path = join(job.folder, 'even');
  // Each track keeps its number in the file. Tracks after the last used one would only take room.
  const end = 1 + Math.max(...Array.from(used, ({ track }) => track));
  const decoded = source.tracks.slice(0, end).map((track) => (used.has(track) ? track : filler));
  try {
    await decodeTracks(source.path, path, decoded, limits, job);
  } catch (error) {
    job.signal.throwIfAborted();
    if (!(error instanceof MediaError) || !['disk_full', 'output_invalid'].includes(error.code)) throw error;
    // The source itself can be encoded without the room for its samples.
    job.log.warn(errorFacts(error), 'The samples do not fit on the scratch disk; gaps at changes stay open');
    await rm(path, { force: true });
    return source;
  }
  // The timestamps stay as exact as those of the source.
  const formatName = source.formatName === 'mpeg' ? 'mpeg' : 'nut';
  const tracks = source.tracks.map((track) => ({ ...track, path, formatName, clockPath: source.path }));
  return withTracks(source, tracks);
}

async function changesShape({ path, track }: AudioSource, limits: RunLimits, job: Work): Promise<boolean> {
  const outputs = [{ path: '-', options: ['-map', `0:a:${track}`, '-f', 'null'] }];
  const run = { input: path, inputOptions: decodeGuards, outputs };
  const { inputShapes } = await runWithinLimits(run, limits, job.signal, () => job.advance('probe', undefined));
  return inputShapes.size > 1;
}

/** NUT keeps samples of every kind with exact timestamps. */
async function decodeTracks(
  input: string,
  path: string,
  tracks: readonly AudioSource[],
  limits: RunLimits,
  job: Work,
): Promise<void> {
  const shapes = tracks.map((track) => ({ ...track, shape: rawShapeOf(track) }));
  const bytesPerSecond = tracks.reduce((sum, track) => sum + bytesPerSecondOf(track), 0);
  const options = shapes.flatMap(({ track, codec, sampleRate, channelLayout, shape }, index) => [
    ...['-map', `0:a:${track}`],
    ...[
      `-filter:a:${index}`,
      `${timedFilter(codec, sampleRate)}aformat=sample_rates=${sampleRate}${layoutOption(channelLayout)}`,
    ],
    ...[`-c:a:${index}`, `pcm_${shape?.format ?? 'f32le'}`],
  ]);
  const run = { input, inputOptions: decodeGuards, path, options: [...options, '-f', 'nut'] };
  await decodeToDisk(run, bytesPerSecond, limits, job);
}

/** Seconds; a frame that is this much too late may have a wrong timestamp. */
const mostStepSeconds = 0.1;

/**
 * Drops frames with wrong timestamps. ffmpeg's decoder of MPEG audio gives a frame the sample rate of the previous
 * frame. The frame's timestamp then counts samples of the wrong rate. The muxer would delay all frames after one that
 * is too late.
 */
function timedFilter(codec: string, sampleRate: number): string {
  if (!/^mp[123]$/.test(codec)) return '';
  return `aselect='if(n,lt((pts-prev_pts)*TB,${mostStepSeconds}),eq(sample_rate,${sampleRate}))',`;
}

const layoutOption = (layout: string | undefined): string => (layout === undefined ? '' : `:channel_layouts=${layout}`);
