import { ProbeOutput, type Probed, type ProbedStream } from './probed.ts';

/**
 * ffmpeg options for an output that makes ffmpeg describe a file. The first frame of the first audio stream reveals its
 * parameters. Without `-vn` and the others, ffmpeg would choose a video stream if there is no audio.
 */
export const describingOutput: readonly string[] = [
  ...['-map', '0:a:0?', '-vn', '-sn', '-dn'],
  ...['-af', 'ashowinfo', '-frames:a', '1', '-f', 'null', '-'],
];

// Input #0, mov,mp4,m4a,3gp,3g2,mj2, from '…/input':
const inputLine = /^Input #0, (\S+), from /m;

//   Duration: 00:00:05.00, start: 0.000000, bitrate: 1443 kb/s
const durationLine = /^ {2}Duration: (\S+?)(?:, start: (-?[\d.]+))?, bitrate: (?:(\d+) kb\/s)?/m;

//   Stream #0:0[0x1](eng): Video: r10k (R10k / 0x6B303152), none(progressive), 64x64, 1310 kb/s, 10 fps, 10 tbr, 10240 tbn
//   Stream #0:1[0x2]: Audio: alac (alac / 0x63616C61), 44100 Hz, stereo, s32p (24 bit), 127 kb/s (default)
const streamLine = /^ {2}Stream #0:(\d+)\S*: (\w+): (\w+)(.*)$/gm;

// [Parsed_ashowinfo_0 @ 0x5637] n:0 pts:0 pts_time:0 pos:16755 fmt:fltp channels:2 chlayout:stereo rate:44100 nb_samples:1024 …
const frameLine = /^\[Parsed_ashowinfo_0 @ .* pts_time:(-?[\d.]+) .* fmt:(\w+) channels:(\d+) .* rate:(\d+) /m;

/** Bits per sample of ffmpeg's sample formats, for streams whose line does not state them. */
const formatBits: Record<string, number> = { u8: 8, s16: 16, s32: 32, s64: 64, flt: 32, dbl: 64 };

/** `00:01:02.34` → 62.34; undefined for `N/A` */
function parseClock(text: string): number | undefined {
  const [hours = NaN, minutes = NaN, seconds = NaN] = text.split(':').map(Number);
  const total = hours * 3600 + minutes * 60 + seconds;
  return Number.isFinite(total) ? total : undefined;
}

const kilobits = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text) * 1000;

/**
 * Parses the description of a file that ffmpeg writes to standard error. It replaces ffprobe where that fails: ffprobe
 * opens a decoder for every stream, if only to describe it. Tags and chapters are not read. Returns undefined if ffmpeg
 * found no media.
 */
export function parseDescription(text: string): Probed | undefined {
  const formatName = inputLine.exec(text)?.[1]?.replace(/,$/, '');
  const duration = durationLine.exec(text);
  // The streams of the output follow.
  const [ofInput = ''] = text.split(/^Output #0,/m);
  const start = Number(duration?.[2] ?? 0);
  const streams = [...ofInput.matchAll(streamLine)].map(([, index, type = '', codec, rest = '']) => ({
    index: Number(index),
    codec_type: type.toLowerCase(),
    codec_name: codec,
    bit_rate: kilobits(/, (\d+) kb\/s/.exec(rest)?.[1]),
    bits_per_raw_sample: Number(/\((\d+) bit\)/.exec(rest)?.[1] ?? 0),
    width: Number(/, (\d+)x\d+/.exec(rest)?.[1] ?? 0) || undefined,
    height: Number(/, \d+x(\d+)/.exec(rest)?.[1] ?? 0) || undefined,
    avg_frame_rate: /, ([\d.]+) fps/.exec(rest)?.[1]?.concat('/1'),
    disposition: {
      attached_pic: rest.includes('(attached pic)') ? 1 : 0,
      timed_thumbnails: rest.includes('(timed thumbnails)') ? 1 : 0,
    },
  }));
  if (formatName === undefined || streams.length === 0) return undefined;
  const described = ProbeOutput.parse({
    streams,
    format: {
      format_name: formatName,
      start_time: duration?.[2],
      duration: parseClock(duration?.[1] ?? ''),
      bit_rate: kilobits(duration?.[3]),
    },
  });
  const audio = described.streams.find(({ codec_type }) => codec_type === 'audio');
  const frame = frameLine.exec(text);
  if (audio !== undefined && frame !== null) Object.assign(audio, frameFacts(audio, frame, start));
  return { ...described, durationIsGuess: text.includes('Estimating duration from bitrate') };
}

function frameFacts(audio: ProbedStream, frame: RegExpExecArray, start: number): Partial<ProbedStream> {
  const [, time, sampleFormat = '', channels, sampleRate] = frame;
  return {
    // ffmpeg counts from the start of the file.
    start_time: start + Number(time),
    sample_fmt: sampleFormat,
    channels: Number(channels),
    sample_rate: Number(sampleRate),
    bits_per_sample: audio.bits_per_raw_sample || formatBits[sampleFormat.replace(/p$/, '')],
  };
}
