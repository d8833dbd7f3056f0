import type { PlannedChunk } from '../../contract/chunk-plan.ts';
import { chunkContainer, type ChunkContainer, containers, encodingOf } from '../../contract/formats.ts';
import { mp3DecoderDelay } from '../formats/mp3/decoder-delay.ts';

/** How one source is cut: packets copied as they are, or encoded anew. */
export type Cut =
  | { kind: 'copy'; container: ChunkContainer; packetSeconds: number; decoderDelaySeconds: number }
  | { kind: 'encode'; container: ChunkContainer; encoder: string[]; fillsHoles: boolean };

/** Cuts are within this of their ideal place, at both ends of a chunk (docs/contract.md, "Chunk"). */
export const cutToleranceSeconds = 0.05;

/** kbit/s for each channel where packets cannot be copied as they are: clearly above transparency. */
const oggBitratePerChannel = 96;
const aacBitratePerChannel = 160;

/** Hz. A file ends with a whole frame of 1024 samples; from this rate on that is near enough to the ideal place. */
const shortFramedAacRate = 32_000;

export interface ChunkSource {
  codec: string;
  channels: number;
  /** Hz */
  sampleRate: number;
  losslessBits: number | undefined;
}

/** The codec that keeps these samples in a WAV, whose PCM is little-endian. */
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
      const { encoder, sampleFormat = '' } = encodingOf('flac', (source.losslessBits ?? 16) > 16 ? 24 : 16);
      return ['-c:a', encoder, '-sample_fmt', sampleFormat];
    }
    case 'ogg':
      return ['-c:a', encodingOf('opus', 16).encoder, '-b:a', `${oggBitratePerChannel * source.channels}k`];
    case 'm4a':
      return [
        ...['-c:a', encodingOf('aac', 16).encoder, '-b:a', `${aacBitratePerChannel * source.channels}k`],
        ...['-ar', String(Math.max(source.sampleRate, shortFramedAacRate))],
      ];
    case 'mp3':
      return ['-c:a', encodingOf('mp3', 16).encoder, '-q:a', '0'];
  }
}

/**
 * Decides by the codec, the length of its packets and whether the time stamps have holes, which a copy would close
 * (pure). The file's container is `chunkContainer` of the codec.
 */
export function planCut(source: ChunkSource, packetSeconds: number, hasHoles: boolean): Cut {
  const container = chunkContainer(source.codec);
  // PCM and FLAC lose nothing when they are written anew, and are cut at the exact sample.
  const isLossy = container !== 'wav' && container !== 'flac';
  const decoderDelaySeconds = container === 'mp3' ? mp3DecoderDelay / source.sampleRate : 0;
  if (isLossy && !hasHoles && packetSeconds / 2 + decoderDelaySeconds < cutToleranceSeconds) {
    return { kind: 'copy', container, packetSeconds, decoderDelaySeconds };
  }
  return { kind: 'encode', container, encoder: encoderFor(source), fillsHoles: hasHoles };
}

/** ffmpeg's options before and after the input for one chunk (pure). */
export function chunkOptions(chunk: PlannedChunk, isLast: boolean, cut: Cut): { input: string[]; output: string[] } {
  const isFirst = chunk.start === 0;
  const common = ['-map', '0:a:0', '-map_metadata', '-1', '-map_chapters', '-1', '-f', containers[cut.container].muxer];
  switch (cut.kind) {
    case 'copy': {
      // ffmpeg takes the packets that begin at or after one mark and before another: half a packet early is the middle.
      const early = cut.packetSeconds / 2;
      const seek = isFirst ? 0 : Math.max(0, chunk.start - early - cut.decoderDelaySeconds);
      // The last packet of an mp3 says how much of it is padding, and of that ffmpeg 5.1 makes a wrong Info frame.
      const end = chunk.start + chunk.duration - (isLast && cut.container === 'mp3' ? cut.packetSeconds : early);
      const goesOnToTheEnd = isLast && cut.container !== 'mp3';
      return {
        input: [
          ...(isFirst ? [] : ['-ss', seek.toFixed(6)]),
          // No chunk is of no length, not even of a source of one packet.
          ...(goesOnToTheEnd ? [] : ['-t', Math.max(end - seek, cut.packetSeconds / 4).toFixed(6)]),
        ],
        output: [
          ...common,
          ...['-c:a', 'copy'],
          // Without it a copy begins at the page or cluster that was sought to, up to seconds early. The first chunk
          // must keep its first packet, which begins before zero by the encoder's delay.
          ...(isFirst ? [] : ['-copypriorss', '0']),
        ],
      };
    }
    case 'encode': {
      const length = chunk.duration.toFixed(6);
      return {
        input: [...(isFirst ? [] : ['-ss', chunk.start.toFixed(6)]), '-t', length],
        output: [
          ...common,
          ...(cut.fillsHoles ? ['-af', `aresample=async=1:first_pts=0,apad=whole_dur=${length}`] : []),
          ...cut.encoder,
        ],
      };
    }
  }
}
