import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { definedFields } from '../../contract/defined-fields.ts';
import type { MetadataRequest, MetadataResult, StreamFacts } from '../../contract/http/metadata.ts';
import { MediaError } from '../../engine/media-error.ts';
import { type OnAdvance, stopAtLimit } from '../../engine/ffmpeg/limited-run.ts';
import type { RunLimits } from '../../engine/ffmpeg/limits.ts';
import { checkStreams, sourceTooLong } from '../../engine/ffmpeg/source-limits.ts';
import type { SourceTime } from '../../engine/ffmpeg/gap-filter.ts';
import { leadSeconds } from '../../engine/ffmpeg/lead.ts';
import { measureSeconds } from '../../engine/ffmpeg/measure.ts';
import { hiddenStart, stampScaleOf } from '../../engine/ffmpeg/stamp-scale.ts';
import { subfileUrl } from '../../engine/ffmpeg/subfile.ts';
import { findJoinedParts } from '../../engine/formats/joined-parts.ts';
import { describeMedia } from '../../engine/source/describe-media.ts';
import { probeSource } from '../../engine/source/probe-source.ts';
import { bitsOf } from '../../engine/source/stream-bits.ts';
import type { Probed, ProbedStream } from '../../engine/ffmpeg/probed.ts';
import type { JobContext } from '../jobs/job.ts';
import type { Lookup, Lookups } from '../jobs/lookups.ts';
import type { Scratch } from '../jobs/scratch.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';

/** `30000/1001` → 29.97 */
function framesPerSecond(ratio: string | undefined): number | undefined {
  const [frames = 0, seconds = 0] = (ratio ?? '').split('/').map(Number);
  return frames > 0 && seconds > 0 ? Math.round((frames / seconds) * 1000) / 1000 : undefined;
}

function streamFacts(stream: ProbedStream, probed: Probed): StreamFacts {
  const bits = bitsOf(stream, probed);
  const isVideo = stream.codec_type === 'video';
  const facts = {
    channels: stream.channels,
    sampleRate: stream.sample_rate,
    bitrate: bits === undefined ? undefined : Math.round(bits / 1000),
    width: isVideo ? stream.width : undefined,
    height: isVideo ? stream.height : undefined,
    fps: isVideo ? framesPerSecond(stream.avg_frame_rate) : undefined,
  };
  return { index: stream.index, type: stream.codec_type, codec: stream.codec_name, ...definedFields(facts) };
}

function describe(probed: Probed, seconds: number): MetadataResult {
  const isEmpty = ({ index }: ProbedStream): boolean => probed.emptySounds?.has(index) === true;
  const { tags, chapters } = describeMedia(probed);
  return {
    success: true,
    duration: roundToMilliseconds(seconds),
    format: probed.format.format_name,
    // The first audio stream of the answer is the one that jobs use.
    streams: probed.streams
      .toSorted((one, other) => Number(isEmpty(one)) - Number(isEmpty(other)))
      .map((stream) => streamFacts(stream, probed)),
    ...{ tags, chapters },
  };
}

interface MetadataDeps {
  transfer: MediaTransfer;
  limits: RunLimits;
  lookups: Lookups;
}

/** Reads the metadata of a source. `gone` ends the work when the client disconnects. */
export async function readMetadata(
  request: MetadataRequest,
  deps: MetadataDeps & { scratch: Scratch },
  gone: AbortSignal,
): Promise<MetadataResult> {
  return await deps.lookups.run(async (lookup) => {
    const id = `metadata-${randomUUID()}`;
    const { fetchedFolder } = await deps.scratch.createFolders(id);
    try {
      return await lookAtSource(request, deps, fetchedFolder, { ...lookup, advance: () => {} });
    } finally {
      await deps.scratch.removeFolders(id);
    }
  }, gone);
}

/** Reads the metadata as a job, for a client that follows it. */
export async function runMetadataJob(
  request: MetadataRequest,
  deps: MetadataDeps,
  { fetchedFolder, signal, advance }: JobContext,
): Promise<MetadataResult> {
  return await deps.lookups.run((lookup) => lookAtSource(request, deps, fetchedFolder, { ...lookup, advance }), signal);
}

/** Fetches the source, inspects it and removes it. */
async function lookAtSource(
  request: MetadataRequest,
  { transfer, limits }: MetadataDeps,
  fetchedFolder: string,
  { signal, read, advance }: Lookup & Pick<JobContext, 'advance'>,
): Promise<MetadataResult> {
  const input = join(fetchedFolder, 'input');
  const look = async (): Promise<MetadataResult> => {
    advance('probe', 0);
    const probed = await probeSource(input, signal);
    const audio = checkStreams(probed, limits);
    const { duration = 0, format_name: formatName } = probed.format;
    const onAdvance: OnAdvance = (mediaSeconds, speed) =>
      advance('probe', duration > 0 ? mediaSeconds / duration : undefined, speed);
    const seconds =
      audio === undefined
        ? duration
        : await measureParts(
            input,
            probed.streams.filter(({ codec_type }) => codec_type === 'audio').indexOf(audio),
            {
              formatName,
              codec: audio.codec_name,
              leadSeconds: leadSeconds(probed, audio),
              ...stampScaleOf(probed, audio),
              ...hiddenStart(probed, audio),
            },
            limits,
            signal,
            onAdvance,
          );
    // The last progress report may precede the end, and a source without sound has none.
    if (seconds > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
    return describe(probed, seconds);
  };
  return await transfer.lookAt(request, input, { signal, advance }, () => read(look));
}

/** Adds the lengths of concatenated files: ffmpeg alone would decode the first one only. */
async function measureParts(
  input: string,
  track: number,
  time: SourceTime,
  limits: RunLimits,
  signal: AbortSignal,
  onAdvance: OnAdvance,
): Promise<number> {
  const { formatName } = time;
  const parts = await findJoinedParts(input, formatName, signal);
  const measure = async (path: string, source: { sourceTime: SourceTime; partDemuxer?: string }, fromSeconds = 0) => {
    const onProgress: OnAdvance = (mediaSeconds, speed) => onAdvance(fromSeconds + mediaSeconds, speed);
    return await measureSeconds(path, {
      ...source,
      track,
      limits,
      ...stopAtLimit(limits, signal, onProgress, fromSeconds),
    });
  };
  if (parts.length === 1) return await measure(input, { sourceTime: time });
  const [partDemuxer = ''] = formatName.split(',');
  const { stampScale: _, ...later } = { ...time, leadSeconds: 0 };
  let seconds = 0;
  for (const [index, { from, to }] of parts.entries()) {
    const part = { sourceTime: index === 0 ? time : later, partDemuxer };
    seconds += await measure(subfileUrl(input, from, to), part, seconds).catch((error: unknown) => {
      // The last part may consist of its header alone.
      if (error instanceof MediaError && error.code === 'undecodable_source' && index > 0) return 0;
      throw error;
    });
    if (seconds > limits.maxSourceDurationSeconds) throw sourceTooLong(limits);
  }
  return seconds;
}
