import { audioCodecFacts, type AudioCodec } from '../../contract/audio-codecs.ts';
import { containerFacts, type ContainerName, type IndexedDemuxer } from '../../contract/formats.ts';
import type { ProbedStream } from '../ffmpeg/probed.ts';
import { secondsOfTag } from '../source/declared-length.ts';
import { readFileEnds } from '../formats/file-ends.ts';
import { readFlacStreamInfo } from '../formats/flac/stream-info.ts';
import { samplesPerFrame } from '../formats/mp3/frame.ts';
import { readInfoFrame } from '../formats/mp3/info-frame.ts';
import { lastGranulePosition, opusPacketSamples, opusSampleRate, readOpusHead } from '../formats/ogg/opus.ts';
import { readRiffLength } from '../formats/wav/riff-length.ts';

/** Length of the audio according to a finished file's own headers. */
export interface MeasuredAudio {
  /** Played seconds, without the encoder's delay and padding. */
  seconds: number;
  /** Number of packets in a complete file of that length, if the codec determines it. */
  packets?: { atLeast: number; atMost: number };
  /** Hz; undefined if the file does not state its encoder's input rate. */
  sampleRate: number | undefined;
  /** Most seconds that an encoder adds at both ends, in a format that cannot mark them. */
  addedSeconds?: number;
}

/** Reads a file of one container format. Returns undefined if its headers are incomplete. */
type MeasureAudio = (path: string, stream: ProbedStream, codec: AudioCodec) => Promise<MeasuredAudio | undefined>;

const measures: Record<IndexedDemuxer, MeasureAudio> = {
  mp3: measureMp3,
  mov: measureM4a,
  ogg: measureOgg,
  matroska: measureMatroska,
  flac: measureFlac,
  wav: measureWav,
};

export async function measureAudio(
  container: ContainerName,
  path: string,
  stream: ProbedStream,
  codec: AudioCodec,
): Promise<MeasuredAudio | undefined> {
  const facts = containerFacts(container);
  return facts.isRaw === true ? measureRaw(stream, codec) : await measures[facts.demuxer](path, stream, codec);
}

async function measureMp3(path: string, { sample_rate: sampleRate = 0 }: ProbedStream) {
  const info = readInfoFrame((await readFileEnds(path)).head);
  if (info === undefined) return undefined;
  const samples = info.frames * samplesPerFrame(sampleRate) - info.encoderDelay - info.padding;
  return { seconds: samples / sampleRate, packets: { atLeast: info.frames, atMost: info.frames }, sampleRate };
}

async function measureM4a(_path: string, stream: ProbedStream, codec: AudioCodec) {
  const { sample_rate: sampleRate = 0, duration: whole, start_time: start = 0 } = stream;
  const { packetSamples } = audioCodecFacts(codec);
  if (whole === undefined) return undefined;
  // A fragmented file includes the samples before the sound.
  const duration = whole + Math.min(0, start);
  // PCM, whose packet size is the writer's choice.
  if (packetSamples === undefined) return { seconds: duration, sampleRate };
  // ffprobe rounds seconds to six decimals, and thus may state a fraction of a sample too many.
  const packets = Math.ceil(Math.round(duration * sampleRate) / packetSamples);
  // Priming, and a last packet that is not full.
  return { seconds: duration, packets: { atLeast: packets, atMost: packets + 2 }, sampleRate };
}

async function measureOgg(path: string, { sample_rate: sampleRate = 0 }: ProbedStream, codec: AudioCodec) {
  const { head, tail } = await readFileEnds(path);
  const granulePosition = lastGranulePosition(tail);
  if (granulePosition === undefined) return undefined;
  // For Vorbis, the granule position counts played samples (Vorbis I, A.2), and packet sizes vary.
  if (codec !== 'opus') return { seconds: granulePosition / sampleRate, sampleRate };
  const opusHead = readOpusHead(head);
  if (opusHead === undefined) return undefined;
  const packets = Math.ceil(granulePosition / opusPacketSamples);
  return {
    seconds: (granulePosition - opusHead.preSkip) / opusSampleRate,
    packets: { atLeast: packets, atMost: packets + 1 },
    sampleRate: opusHead.inputSampleRate,
  };
}

/** Most seconds that a decoder returns beyond the encoder's input. */
export function addedSeconds(codec: AudioCodec, sampleRate: number): number {
  return (audioCodecFacts(codec).addedSamples ?? 0) / sampleRate;
}

/** ffmpeg writes the duration of each track, at least in milliseconds, including what its encoder adds. */
async function measureMatroska(_path: string, { sample_rate: sampleRate = 0, tags }: ProbedStream, codec: AudioCodec) {
  const seconds = secondsOfTag(tags['DURATION']);
  // Opus always plays at 48 kHz, which ffprobe reports.
  if (seconds === undefined) return undefined;
  if (codec === 'opus') return { seconds, sampleRate: undefined };
  return { seconds, sampleRate, addedSeconds: addedSeconds(codec, sampleRate) };
}

async function measureFlac(path: string, { sample_rate: sampleRate = 0 }: ProbedStream) {
  const info = readFlacStreamInfo((await readFileEnds(path)).head);
  if (info === undefined) return undefined;
  const seconds = info.totalSamples / sampleRate;
  if (info.blockSize === undefined) return { seconds, sampleRate };
  const blocks = Math.ceil(info.totalSamples / info.blockSize);
  return { seconds, packets: { atLeast: blocks, atMost: blocks }, sampleRate };
}

async function measureWav(path: string, { sample_rate: sampleRate = 0 }: ProbedStream) {
  const length = await readRiffLength(path);
  if (length.kind !== 'declared' || length.presentShare < 1 || length.seconds === undefined) return undefined;
  return { seconds: length.seconds, sampleRate };
}

/** Frames follow each other without a header that counts them. All are sound; the last is padded with silence. */
function measureRaw(stream: ProbedStream, codec: AudioCodec): MeasuredAudio {
  const { sample_rate: sampleRate = 0, nb_read_packets: packets = 0 } = stream;
  const seconds = (packets * (audioCodecFacts(codec).packetSamples ?? 0)) / sampleRate;
  return { seconds, sampleRate, addedSeconds: addedSeconds(codec, sampleRate) };
}
