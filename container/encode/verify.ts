import { ServiceError } from '../errors.ts';
import { readFileEnds, type FileEnds } from '../formats/file-ends.ts';
import { readFlacStreamInfo } from '../formats/flac/stream-info.ts';
import { readLameInfo } from '../formats/mp3/lame-info.ts';
import { lastGranulePosition, readOpusHead } from '../formats/ogg/opus.ts';
import { readRiffLength } from '../formats/wav/riff-length.ts';
import { probedCodecOf, type OutputPlan } from './output-plan.ts';
import { probeFile, type ProbedStream } from '../ffmpeg/probe.ts';

/** Contract 1.3: an output's duration is within this of what was decoded. */
const toleranceSeconds = 0.05;

const opusRate = 48_000;
/** samples at 48 kHz; libopus writes frames of 20 ms */
const opusFrame = 960;
const aacFrame = 1024;

function invalid(format: string, reason: string): ServiceError {
  return new ServiceError(
    'output_invalid',
    `The output ${format} did not come out right: ${reason}. Nothing was uploaded.`,
    {
      details: { format },
    },
  );
}

interface Measured {
  /** seconds that a player plays: without the encoder's delay and padding */
  seconds: number;
  /** packets that a whole file of that length has, where the codec says */
  packets: { atLeast: number; atMost: number } | undefined;
  /** Hz */
  sampleRate: number;
}

/** The exact length that the file's own headers give, with the number of packets that must then be there. */
async function measure(
  path: string,
  plan: OutputPlan,
  stream: ProbedStream,
  { head, tail }: FileEnds,
): Promise<Measured | undefined> {
  const sampleRate = stream.sample_rate ?? 0;
  switch (plan.codec) {
    case 'mp3': {
      const info = readLameInfo(head);
      if (info === undefined) return undefined;
      // ISO/IEC 11172-3 and 13818-3: 1152 samples a frame, half of it at the lower rates.
      const samples = info.frames * (sampleRate >= 32_000 ? 1152 : 576) - info.encoderDelay - info.padding;
      return { seconds: samples / sampleRate, packets: { atLeast: info.frames, atMost: info.frames }, sampleRate };
    }
    case 'aac': {
      if (stream.duration === undefined) return undefined;
      const frames = Math.ceil((stream.duration * sampleRate) / aacFrame);
      return { seconds: stream.duration, packets: { atLeast: frames, atMost: frames + 2 }, sampleRate };
    }
    case 'opus': {
      const opusHead = readOpusHead(head);
      const granule = lastGranulePosition(tail);
      if (opusHead === undefined || granule === undefined) return undefined;
      const frames = Math.ceil(granule / opusFrame);
      return {
        seconds: (granule - opusHead.preSkip) / opusRate,
        packets: { atLeast: frames, atMost: frames + 1 },
        sampleRate: opusHead.inputSampleRate,
      };
    }
    case 'flac': {
      const info = readFlacStreamInfo(head);
      if (info === undefined) return undefined;
      const blocks = info.blockSize === undefined ? undefined : Math.ceil(info.totalSamples / info.blockSize);
      return {
        seconds: info.totalSamples / sampleRate,
        packets: blocks === undefined ? undefined : { atLeast: blocks, atMost: blocks },
        sampleRate,
      };
    }
    case 'wav': {
      const length = await readRiffLength(path);
      if (length.kind === 'undeclared' || !length.isWhole) return undefined;
      return { seconds: length.seconds, packets: undefined, sampleRate };
    }
  }
}

export interface VerifiedOutput {
  /** seconds */
  duration: number;
  channels: number;
  /** Hz */
  sampleRate: number;
}

/** Reads a finished output from end to end and compares it with its plan. `encodedSeconds` is what went into its encoder. */
export async function verifyOutput(
  path: string,
  plan: OutputPlan,
  encodedSeconds: number,
  signal: AbortSignal,
): Promise<VerifiedOutput> {
  const probed = await probeFile(path, { signal, countPackets: true }).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof ServiceError && error.code === 'undecodable_source')
      throw invalid(plan.format, 'it cannot be read');
    throw error;
  });
  const stream = probed.streams.find(({ codec_type }) => codec_type === 'audio');
  if (stream === undefined) throw invalid(plan.format, 'it has no audio');
  const measured = await measure(path, plan, stream, await readFileEnds(path));
  if (measured === undefined) throw invalid(plan.format, 'its headers are not whole');
  if (stream.codec_name !== probedCodecOf(plan)) throw invalid(plan.format, `its codec is ${stream.codec_name}`);
  if (stream.channels !== plan.channels) throw invalid(plan.format, `it has ${stream.channels} channels`);
  if (measured.sampleRate !== plan.sampleRate) throw invalid(plan.format, `its rate is ${measured.sampleRate} Hz`);
  const { packets } = measured;
  const found = stream.nb_read_packets ?? 0;
  if (packets !== undefined && (found < packets.atLeast || found > packets.atMost)) {
    throw invalid(plan.format, `it has ${found} packets where its length asks for ${packets.atLeast}`);
  }
  if (Math.abs(measured.seconds - encodedSeconds) > toleranceSeconds) {
    throw invalid(
      plan.format,
      `it is ${measured.seconds.toFixed(3)} s long where ${encodedSeconds.toFixed(3)} s were decoded`,
    );
  }
  return { duration: measured.seconds, channels: stream.channels, sampleRate: measured.sampleRate };
}
