import { probeFile, runProbe } from './probe.ts';
import type { Probed, ProbedStream } from './probed.ts';
import { readSoundStarts } from './sound-starts.ts';

/** Covers the first packets of streams that start together. */
const sampledPackets = 200;

/** Packets of one stream that reveal its start: pictures are shown in another order than they are stored. */
const firstPackets = 20;

/** A smaller difference is a delay that ffprobe has subtracted, or the order of pictures. */
const filledSeconds = 0.05;

/** Codecs with B-frames, by ffprobe's names. */
const reorderedCodecs: ReadonlySet<string> = new Set(['h264', 'hevc', 'mpeg1video', 'mpeg2video', 'mpeg4']);

const maxBytes = 1024 ** 2;

/**
 * Probes a source. ffprobe reads some seconds, and gives a stream that starts later the start of the file and its
 * length. Here the packets of such a stream replace both.
 */
export async function probeWithStarts(path: string, signal: AbortSignal): Promise<Probed> {
  const first = await probeFile(path, { signal });
  const begun = first.streams.some(isSlow) ? await probeFile(path, { signal, reads: 'on' }) : first;
  if (begun.streams.length < 2) return begun;
  const fileStart = begun.format.start_time ?? 0;
  const unsure = begun.streams.filter((stream) => isTimed(stream) && (stream.start_time ?? fileStart) === fileStart);
  const starts = parseStarts((await readTimes(path, ['-read_intervals', `%+#${sampledPackets}`], signal)).lines);
  const emptySounds = new Set<number>();
  for (const { index, codec_type: kind, nb_frames: counted = 0 } of unsure.filter((one) => !starts.has(one.index))) {
    const ofStream = ['-select_streams', String(index), '-read_intervals', `%+#${firstPackets}`];
    const { lines, failure } = await readTimes(path, ofStream, signal);
    for (const [stream, start] of parseStarts(lines)) starts.set(stream, start);
    // An index that counts packets, as in MP4, belongs to a file that has lost them.
    if (kind === 'audio' && counted === 0 && failure === undefined && lines.trim() === '') emptySounds.add(index);
  }
  const late = new Set(
    unsure.map(({ index }) => index).filter((index) => (starts.get(index) ?? 0) - fileStart > filledSeconds),
  );
  const isUnseen = begun.streams.some((stream) => late.has(stream.index) && isUnknown(stream));
  const probed = isUnseen ? await probeFile(path, { signal, reads: 'all' }) : begun;
  const streams = probed.streams.map((stream) =>
    late.has(stream.index) ? startedAt(stream, starts.get(stream.index) ?? 0, probed) : stream,
  );
  return { ...probed, emptySounds, streams: await withHeardStarts(path, streams, signal) };
}

/** Sound that starts late starts with its first sample, as it does beside pictures. Its packets may start earlier. */
async function withHeardStarts(path: string, streams: ProbedStream[], signal: AbortSignal): Promise<ProbedStream[]> {
  const earliest = Math.min(...streams.filter(isTimed).map(({ start_time: start = 0 }) => start));
  const late = streams.filter(
    ({ codec_type: kind, start_time: start = 0 }) => kind === 'audio' && start - earliest > filledSeconds,
  );
  if (late.length === 0) return streams;
  const heard = await readSoundStarts(
    path,
    late.map(({ index }) => index),
    signal,
  );
  return streams.map((stream) =>
    late.includes(stream) ? { ...stream, start_time: heard.get(stream.index) ?? stream.start_time } : stream,
  );
}

/** Pictures that last for seconds. A decoder that reorders pictures shows their format after several of them. */
const isSlow = (stream: ProbedStream): boolean =>
  stream.codec_type === 'video' && isTimed(stream) && isUnknown(stream) && reorderedCodecs.has(stream.codec_name);

/** Many headers do not state the parameters of sound or the format of pixels. */
const isUnknown = ({ codec_type: kind, sample_rate: rate, channels, pix_fmt: format }: ProbedStream): boolean =>
  kind === 'audio' ? !rate || !channels : format === undefined;

const isTimed = ({ codec_type: kind, disposition }: ProbedStream): boolean =>
  /^(?:audio|video)$/.test(kind) && disposition.attached_pic === 0;

function startedAt(stream: ProbedStream, start: number, { format }: Probed): ProbedStream {
  const late = start - (stream.start_time ?? format.start_time ?? 0);
  if (late <= filledSeconds) return stream;
  const { duration } = stream;
  const isFilled = duration !== undefined && duration === format.duration;
  return { ...stream, start_time: start, ...(isFilled && { duration: Math.max(0, duration - late) }) };
}

/** Prints `stream index,pts,dts` of each packet that these options choose. */
async function readTimes(path: string, options: readonly string[], signal: AbortSignal) {
  const entries = ['-show_entries', 'packet=stream_index,pts_time,dts_time', '-of', 'csv=p=0'];
  const { stdout: lines, failure } = await runProbe(['-v', 'error', ...options, ...entries], path, signal, maxBytes);
  return { lines, failure };
}

/** Earliest time in seconds of the packets in these lines, by stream index. */
export function parseStarts(lines: string): Map<number, number> {
  const starts = new Map<number, number>();
  for (const line of lines.split('\n')) {
    const [index = '', ...times] = line.split(',');
    const time = times.find((text) => /^-?[\d.]+$/.test(text));
    if (/^\d+$/.test(index) && time !== undefined) {
      starts.set(Number(index), Math.min(starts.get(Number(index)) ?? Infinity, Number(time)));
    }
  }
  return starts;
}
