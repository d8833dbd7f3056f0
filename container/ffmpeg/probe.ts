import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { z } from 'zod';
import { ServiceError } from '../errors.ts';
import { ffmpegFailure } from './failure.ts';
import { guardArguments, guardPath } from './guard.ts';
import { probeGuards } from './guards.ts';
import { terminate } from './terminate.ts';

/** Reading a header takes moments; counting every packet of a day of audio takes a minute. */
const probeTimeoutSeconds = 5 * 60;

/** ffprobe writes no file. */
const probeLimits = {
  maxOutputBytes: 0,
  maxCpuSeconds: probeTimeoutSeconds * availableParallelism(),
};

const NumberText = z.coerce.number().optional().catch(undefined);
const Tags = z.record(z.string(), z.string()).default({});

const ProbedStream = z.object({
  index: z.number(),
  codec_type: z.string().default('unknown'),
  codec_name: z.string().default('unknown'),
  sample_fmt: z.string().optional(),
  sample_rate: NumberText,
  channels: z.number().optional(),
  bits_per_raw_sample: NumberText,
  bits_per_sample: NumberText,
  bit_rate: NumberText,
  duration: NumberText,
  width: z.number().optional(),
  height: z.number().optional(),
  avg_frame_rate: z.string().optional(),
  nb_read_packets: NumberText,
  disposition: z.object({ attached_pic: z.number().default(0) }).default({ attached_pic: 0 }),
  tags: Tags,
});
export type ProbedStream = z.infer<typeof ProbedStream>;

const ProbeOutput = z.object({
  streams: z.array(ProbedStream).default([]),
  chapters: z.array(z.object({ start_time: z.coerce.number(), end_time: z.coerce.number(), tags: Tags })).default([]),
  format: z.object({ format_name: z.string(), duration: NumberText, bit_rate: NumberText, tags: Tags }),
});

export type Probed = z.infer<typeof ProbeOutput> & {
  /** ffprobe guessed `format.duration` from the bit rate and the file's size. */
  durationIsGuess: boolean;
};

interface ProbeOptions {
  signal: AbortSignal;
  /** Reads the whole file, and so tells how many packets are really there. */
  countPackets?: boolean;
  /** ffmpeg's name of the demuxer, where it is known; else found out from the content */
  demuxer?: string;
}

const entries = [
  'stream=index,codec_type,codec_name,sample_fmt,sample_rate,channels,bits_per_raw_sample,bits_per_sample,bit_rate,duration,width,height,avg_frame_rate,nb_read_packets',
  'stream_disposition=attached_pic',
  'stream_tags',
  'chapter=start_time,end_time',
  'chapter_tags',
  'format=format_name,duration,bit_rate',
  'format_tags',
].join(':');

function run(args: readonly string[], signal: AbortSignal): Promise<{ stdout: string; stderr: string }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const stop = (): void => terminate(child);
    // The timeout of execFile would kill the child alone and at once; terminate ends its group, by SIGTERM first.
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      stop();
    }, probeTimeoutSeconds * 1000);
    const guarded = [...guardArguments('ffprobe', probeLimits), ...args];
    const child = execFile(guardPath, guarded, { maxBuffer: 64 * 1024 ** 2 }, (error, stdout, stderr) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (error === null) return resolve({ stdout, stderr });
      if (signal.aborted) return reject(signal.reason);
      if (hangs) return reject(new ServiceError('stalled', 'ffprobe did not come to an end and was ended.'));
      return reject(ffmpegFailure({ exitCode: child.exitCode, signal: child.signalCode }, stderr));
    });
    signal.addEventListener('abort', stop);
  });
}

/** What ffprobe says of a file. A file that is no media is `undecodable_source`. */
export async function probeFile(path: string, options: ProbeOptions): Promise<Probed> {
  const { stdout, stderr } = await run(
    [
      ...['-v', 'warning', '-of', 'json', '-show_entries', entries],
      ...(options.countPackets === true ? ['-count_packets'] : []),
      ...probeGuards,
      ...(options.demuxer === undefined ? [] : ['-f', options.demuxer]),
      ...['-i', path],
    ],
    options.signal,
  );
  const parsed = ProbeOutput.safeParse(JSON.parse(stdout));
  if (!parsed.success) {
    throw new ServiceError('undecodable_source', 'The source cannot be understood by ffprobe.', {
      cause: parsed.error,
    });
  }
  return { ...parsed.data, durationIsGuess: stderr.includes('Estimating duration from bitrate') };
}

/** Enough for the first seconds, so that an odd packet at the start does not decide. */
const sampledPackets = 200;

/** Seconds of the longest of the first packets of the first audio stream. */
export async function measureLongestPacket(path: string, signal: AbortSignal): Promise<number> {
  const { stdout } = await run(
    [
      ...['-v', 'warning', '-of', 'csv=p=0', '-select_streams', 'a:0', '-show_entries', 'packet=duration_time'],
      ...['-read_intervals', `%+#${sampledPackets}`],
      ...probeGuards,
      ...['-i', path],
    ],
    signal,
  );
  const seconds = stdout.split('\n').map(Number.parseFloat).filter(Number.isFinite);
  // Without a length nothing is known of how exact a cut would be.
  return seconds.length === 0 ? Infinity : Math.max(...seconds);
}
