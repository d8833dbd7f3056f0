import { isUtf8 } from 'node:buffer';
import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { withStepSpan } from '../../tracing/phases.ts';
import { MediaError } from '../media-error.ts';
import { meterProcess } from './cpu-time.ts';
import { describingOutput, parseDescription } from './description.ts';
import { ffmpegFailure } from './failure.ts';
import { guardArguments, guardPath, type Tool } from './guard.ts';
import { decodeGuards, probeGuards } from './guards.ts';
import { ProbeOutput, type Probed } from './probed.ts';
import { terminate } from './terminate.ts';

/** Reading a header takes moments. Counting every packet of a day of audio takes a minute. */
const probeTimeoutSeconds = 5 * 60;

/** ffprobe writes no files. */
const probeLimits = {
  maxOutputBytes: 0,
  maxCpuSeconds: probeTimeoutSeconds * availableParallelism(),
};

/** ffprobe keeps none of the packets. The figures are a day in microseconds, and more bytes than a source has. */
const readingAll = ['-fflags', 'nobuffer', '-analyzeduration', '86400000000', '-probesize', '1000000000000'];

/** The limits are ten minutes and 100 MB, because a slide may last for minutes. */
const readingOn = ['-analyzeduration', '600000000', '-probesize', '100000000'];

interface ProbeOptions {
  signal: AbortSignal;
  /** Reads the whole file and counts the packets that are present. */
  countPackets?: boolean;
  /** ffmpeg's demuxer name; if absent, the content decides. */
  demuxer?: string;
  /** Guards that replace those for media. */
  guards?: readonly string[];
  /** How far ffprobe reads for the parameters of streams: `all` to the end, `on` for minutes. Default: some seconds. */
  reads?: 'all' | 'on';
}

const entries = [
  'stream=index,id,codec_type,codec_name,sample_fmt,sample_rate,channels,channel_layout,bits_per_raw_sample,bits_per_sample,bit_rate,start_time,duration,width,height,pix_fmt,avg_frame_rate,nb_frames,nb_read_packets',
  'stream=time_base,r_frame_rate,sample_aspect_ratio,field_order,color_range,color_space,color_transfer,color_primaries,chroma_location,profile,level,has_b_frames',
  'stream_side_data=rotation,max_luminance,max_content,dv_bl_signal_compatibility_id',
  'stream_disposition=attached_pic,timed_thumbnails,default,forced,hearing_impaired',
  'stream_tags',
  'chapter=start_time,end_time',
  'chapter_tags',
  'format=format_name,start_time,duration,bit_rate',
  'format_tags',
].join(':');

interface Said {
  stdout: string;
  stderr: string;
  /** Undefined if the tool succeeded. */
  failure: MediaError | undefined;
}

/** Throws only if the tool was ended, by the signal or because it hangs. */
function run(tool: Tool, args: readonly string[], signal: AbortSignal, maxBuffer = 64 * 1024 ** 2): Promise<Said> {
  return withStepSpan(tool, {}, () => runTool(tool, args, signal, maxBuffer));
}

async function runTool(tool: Tool, args: readonly string[], signal: AbortSignal, maxBuffer: number): Promise<Said> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => terminate(child);
    // execFile's own timeout would kill only the child, and at once. terminate ends its process group, with SIGTERM
    // first.
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      stop();
    }, probeTimeoutSeconds * 1000);
    const guarded = [...guardArguments(tool, probeLimits), ...args];
    const child = execFile(guardPath, guarded, { maxBuffer, encoding: 'buffer' }, (error, bytes, messages) => {
      const [stdout, stderr] = [decodeTexts(bytes), messages.toString()];
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (signal.aborted && error !== null) return reject(signal.reason);
      if (hangs) return reject(new MediaError('stalled', `${tool} did not end in time and was stopped.`));
      const end = { exitCode: child.exitCode, signal: child.signalCode };
      return resolve({ stdout, stderr, failure: error === null ? undefined : ffmpegFailure(end, stderr) });
    });
    meterProcess(child);
    signal.addEventListener('abort', stop);
  });
}

/** Old programs wrote tags in Windows-1252. A text with any valid character beyond ASCII is damaged UTF-8. */
function decodeTexts(printed: Buffer): string {
  if (isUtf8(printed)) return printed.toString();
  // Every text is in quotes, which no longer character contains.
  return printed.toString('latin1').replaceAll(/[^"]+/g, (text) => {
    const bytes = Buffer.from(text, 'latin1');
    const decoded = bytes.toString();
    return /^[\p{ASCII}\ufffd]*$/u.test(decoded) ? new TextDecoder('windows-1252').decode(bytes) : decoded;
  });
}

/** Returns what ffprobe prints about a media file. Throws only if ffprobe was ended. */
export async function runProbe(
  args: readonly string[],
  path: string,
  signal: AbortSignal,
  maxBytes: number,
  guards: readonly string[] = probeGuards,
): Promise<Pick<Said, 'stdout' | 'failure'>> {
  return await run('ffprobe', [...args, ...guards, '-i', path], signal, maxBytes);
}

/**
 * Last message of ffprobe if it cannot or must not open a stream's decoder, usually of a video that nobody requested.
 */
const unopenedDecoder = /^Could not open codec for input stream \d+$/m;

/** Probes a file. A file that is not media is `undecodable_source`. */
export async function probeFile(path: string, options: ProbeOptions): Promise<Probed> {
  const { stdout, stderr, failure } = await run(
    'ffprobe',
    [
      ...['-v', 'warning', '-of', 'json=string_validation=ignore', '-show_entries', entries],
      ...(options.countPackets === true ? ['-count_packets'] : []),
      ...(options.guards ?? probeGuards),
      ...(options.demuxer === undefined ? [] : ['-f', options.demuxer]),
      ...(options.reads === 'all' ? readingAll : options.reads === 'on' ? readingOn : []),
      ...['-i', path],
    ],
    options.signal,
  );
  if (failure !== undefined) {
    if (unopenedDecoder.test(stderr)) return await describeFile(path, failure, options.signal);
    throw failure;
  }
  const parsed = ProbeOutput.safeParse(JSON.parse(stdout));
  if (!parsed.success) {
    throw new MediaError('undecodable_source', 'ffprobe cannot read the source.', {
      cause: parsed.error,
    });
  }
  return { ...parsed.data, durationIsGuess: stderr.includes('Estimating duration from bitrate') };
}

/** Probes with ffmpeg, which opens only the decoder of the first audio stream. */
async function describeFile(path: string, failure: MediaError, signal: AbortSignal): Promise<Probed> {
  const args = ['-v', 'info', '-hide_banner', '-nostdin', '-nostats', ...decodeGuards, '-i', path];
  const { stderr } = await run('ffmpeg', [...args, ...describingOutput], signal);
  const described = parseDescription(stderr);
  if (described === undefined) throw failure;
  return described;
}

/** Covers the first seconds, so that one odd packet at the start does not decide. */
const sampledPackets = 200;

/**
 * Duration in seconds of the longest of the first packets of the first audio stream. Infinity if a seek does not reach
 * the packets in their places:
 *
 * - ffmpeg skips the rest of a block of Matroska that has several packets of Opus (lacing: RFC 9559, 10).
 * - Vorbis that was cut from a longer file may begin before zero, from which ffmpeg seeks. The first packet has no sound.
 */
export async function measureLongestPacket(
  path: string,
  { formatName, codec }: { formatName: string; codec: string },
  signal: AbortSignal,
): Promise<number> {
  const { stdout, stderr, failure } = await run(
    'ffprobe',
    [
      ...['-v', 'warning', '-of', 'csv=p=0', '-select_streams', 'a:0'],
      ...['-show_entries', 'packet=pts_time,duration_time,pos', '-read_intervals', `%+#${sampledPackets}`],
      ...probeGuards,
      ...['-i', path],
    ],
    signal,
  );
  if (failure !== undefined && !unopenedDecoder.test(stderr)) throw failure;
  const packets = stdout.split('\n').map((line) => line.split(','));
  const places = packets.flatMap(([, , place = '']) => (/^\d+$/.test(place) ? [place] : []));
  const isLaced = formatName.startsWith('matroska') && new Set(places).size < places.length;
  if (codec === 'opus' && isLaced) return Infinity;
  if (codec === 'vorbis' && packets.slice(1).some(([time]) => Number(time) < 0)) return Infinity;
  const seconds = packets.map(([, duration = '']) => Number.parseFloat(duration)).filter(Number.isFinite);
  // Without durations, the accuracy of a cut is unknown.
  return seconds.length === 0 ? Infinity : Math.max(...seconds);
}
