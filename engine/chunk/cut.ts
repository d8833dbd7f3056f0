import { frameSizeOptions } from '../formats/flac/frame-size.ts';
import { channelMappingOptions } from '../ffmpeg/opus-mapping.ts';
import { cutToleranceSeconds, type PlannedChunk } from '../../contract/chunk-plan.ts';
import { audioCodecFacts, encodingOf } from '../../contract/audio-codecs.ts';
import { chunkContainer, type ChunkContainer, containers } from '../../contract/formats.ts';
import { suitableSampleRates } from '../../contract/output-rules.ts';
import { repeatableBytes } from '../ffmpeg/repeatable-bytes.ts';
import { mp3DecoderDelay } from '../formats/mp3/decoder-delay.ts';
import { hasTimedPackets, isExactToSeek, type SeekableSource } from '../formats/seeking.ts';

/** How a source is cut: by copying packets or by encoding, from a seek position or from all its samples. */
export type Cut =
  | { kind: 'copy'; container: ChunkContainer; packetSeconds: number; decoderDelaySeconds: number }
  | { kind: 'encode'; entry: 'seek' | 'samples'; container: ChunkContainer; encoder: string[] };

/** kbit/s per channel, used if packets cannot be copied: clearly above transparency. */
const oggBitratePerChannel = 96;
const aacBitratePerChannel = 160;

/**
 * Hz. A file ends with a whole frame of 1024 samples. From this rate on, that is close enough to the ideal position.
 */
const shortFramedAacRate = 32_000;

export interface ChunkSource extends SeekableSource {
  channels: number;
  /** Hz. */
  sampleRate: number;
  losslessBits: number | undefined;
  /** ffmpeg's name of the decoder's output format. */
  sampleFormat: string | undefined;
}

/** Codec that keeps these samples in a WAV, whose PCM is little-endian. */
function wavCodec({ codec, losslessBits = 16 }: ChunkSource): string {
  if (/^pcm_(?:[sf]\d+le|u8|alaw|mulaw)$/.test(codec)) return codec;
  if (codec.startsWith('pcm_f')) return 'pcm_f32le';
  return losslessBits > 24 ? 'pcm_s32le' : losslessBits > 16 ? 'pcm_s24le' : 'pcm_s16le';
}

function encoderFor(source: ChunkSource): string[] {
  switch (chunkContainer(source.codec)) {
    case 'wav':
      return ['-c:a', wavCodec(source)];
    case 'flac': {
      const bits = (source.losslessBits ?? 16) > 16 ? 24 : 16;
      const { encoder, sampleFormat = '' } = encodingOf('flac', bits);
      const [sampleRate = source.sampleRate] = suitableSampleRates('flac', source.sampleRate);
      const frameSize = frameSizeOptions(sampleRate, source.channels, bits);
      return ['-c:a', encoder, '-ar', String(sampleRate), '-sample_fmt', sampleFormat, ...frameSize];
    }
    case 'ogg':
      return [
        ...['-c:a', encodingOf('opus', 16).encoder, '-b:a', `${oggBitratePerChannel * source.channels}k`],
        ...channelMappingOptions(source.channels),
        // Not every intermediate file has the layout that libopus expects: a CAF stores 5.1 as 5.1(side).
        ...[
          '-af',
          `aformat=channel_layouts=${audioCodecFacts('opus').channelLayouts[source.channels - 1] ?? 'stereo'}`,
        ],
      ];
    case 'm4a':
      return [
        ...['-c:a', encodingOf('aac', 16).encoder, '-b:a', `${aacBitratePerChannel * source.channels}k`],
        ...['-ar', String(Math.max(source.sampleRate, shortFramedAacRate))],
      ];
    case 'mp3':
      return ['-c:a', encodingOf('mp3', 16).encoder, '-q:a', '0'];
  }
}

/** ffmpeg's sample format for chunks. It holds no more precision than they keep, to save scratch space. */
export function chunkSampleFormat({ codec, losslessBits, sampleFormat = 'flt' }: ChunkSource): string {
  return chunkContainer(codec) === 'flac' && losslessBits === undefined ? 's16' : sampleFormat;
}

/**
 * Decides by the format and the duration of its packets. The container is `chunkContainer` of the codec.
 * `packetSeconds` is undefined if the source's timestamps have gaps or jumps. Every cut is then taken from decoded
 * samples: a copy would close the gaps, and a seek would reach another position.
 */
export function planCut(source: ChunkSource, packetSeconds: number | undefined): Cut {
  const container = chunkContainer(source.codec);
  const encoder = encoderFor(source);
  if (packetSeconds === undefined) return { kind: 'encode', entry: 'samples', container, encoder };
  // PCM and FLAC are rewritten without loss and cut at the exact sample.
  const isLossy = container !== 'wav' && container !== 'flac';
  const decoderDelaySeconds = container === 'mp3' ? mp3DecoderDelay / source.sampleRate : 0;
  const isFine = packetSeconds / 2 + decoderDelaySeconds < cutToleranceSeconds;
  if (isLossy && isFine && hasTimedPackets(source))
    return { kind: 'copy', container, packetSeconds, decoderDelaySeconds };
  return { kind: 'encode', entry: isExactToSeek(source) ? 'seek' : 'samples', container, encoder };
}

/**
 * False for a chunk behind others that has less than two packets: it may have none, one packet of Vorbis has no sound,
 * and ffmpeg reads no mp3 of one packet.
 */
export function isCopyable({ index, duration }: PlannedChunk, cut: Cut): boolean {
  return cut.kind !== 'copy' || index === 0 || duration >= 2 * cut.packetSeconds;
}

/** ffmpeg options before and after the input for one chunk. */
export function chunkOptions(chunk: PlannedChunk, isLast: boolean, cut: Cut): { input: string[]; output: string[] } {
  const isFirst = chunk.start === 0;
  const { muxer, muxerOptions } = containers[cut.container];
  const common = [
    ...['-map', '0:a:0', '-map_metadata', '-1', '-map_chapters', '-1', ...muxerOptions],
    ...repeatableBytes(cut.container, chunk.index),
    ...['-f', muxer],
  ];
  switch (cut.kind) {
    case 'copy': {
      // ffmpeg takes the packets that start at or after one mark and before another. Half a packet early is the middle.
      const early = cut.packetSeconds / 2;
      const seek = isFirst ? 0 : Math.max(0, chunk.start - early - cut.decoderDelaySeconds);
      // The last packet of an mp3 states its padding, from which ffmpeg 5.1 writes a wrong Info frame.
      const end = chunk.start + chunk.duration - (isLast && cut.container === 'mp3' ? cut.packetSeconds : early);
      const goesOnToTheEnd = isLast && cut.container !== 'mp3';
      return {
        input: [
          ...(isFirst ? [] : ['-ss', seek.toFixed(6)]),
          // No chunk is empty, not even if the source has one packet.
          ...(goesOnToTheEnd ? [] : ['-t', Math.max(end - seek, cut.packetSeconds / 4).toFixed(6)]),
        ],
        output: [
          ...common,
          ...['-c:a', 'copy'],
          // Without this option, a copy starts at the page or cluster of the seek position, up to seconds early. The
          // first chunk must keep its first packet, whose time is negative by the encoder's delay.
          ...(isFirst ? [] : ['-copypriorss', '0']),
        ],
      };
    }
    case 'encode': {
      const place = [...(isFirst ? [] : ['-ss', chunk.start.toFixed(6)]), '-t', chunk.duration.toFixed(6)];
      return { input: cut.entry === 'seek' ? place : [], output: [...common, ...cut.encoder] };
    }
  }
}
