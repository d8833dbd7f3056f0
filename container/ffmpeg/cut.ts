import { chunkExtension, type PlannedChunk } from '../../contract/chunk-plan.ts';

/** How one source is cut: packets copied as they are, or encoded anew. */
export type Cut =
  | { muxer: string; kind: 'copy'; codec: string; packetSeconds: number }
  | { muxer: string; kind: 'encode'; encoder: string[] };

const muxers = { mp3: 'mp3', m4a: 'ipod', ogg: 'ogg', wav: 'wav', flac: 'flac' } as const;

/** Contract 1.4: a copy is cut at packets, and must hit the ideal place within this. */
const cutToleranceSeconds = 0.05;

/** kbit/s for each channel where Opus or Vorbis packets are too long to be cut as they are: clearly above transparency. */
const oggBitratePerChannel = 96;

export interface CutSource {
  codec: string;
  channels: number;
  losslessBits: number | undefined;
}

/** The same samples in a WAV, which is little-endian and has no PCM of other kinds. */
function wavCodec({ codec, losslessBits = 16 }: CutSource): string {
  if (/^pcm_(?:[sf]\d+le|u8|alaw|mulaw)$/.test(codec)) return codec;
  if (codec.startsWith('pcm_f')) return 'pcm_f32le';
  return losslessBits > 24 ? 'pcm_s32le' : losslessBits > 16 ? 'pcm_s24le' : 'pcm_s16le';
}

/** Decides by the codec and the length of its packets (pure). The file's ending is `chunkExtension` of the codec. */
export function planCut(source: CutSource, packetSeconds: number): Cut {
  const extension = chunkExtension(source.codec);
  const muxer = muxers[extension];
  // PCM has no frames to respect: written anew it is the same samples, cut at the exact one.
  if (extension === 'wav') return { kind: 'encode', muxer, encoder: ['-c:a', wavCodec(source)] };
  if (extension !== 'flac' && packetSeconds <= cutToleranceSeconds) {
    return { kind: 'copy', muxer, codec: source.codec, packetSeconds };
  }
  if (extension === 'ogg') {
    return {
      kind: 'encode',
      muxer,
      encoder: ['-c:a', 'libopus', '-b:a', `${oggBitratePerChannel * source.channels}k`],
    };
  }
  return {
    kind: 'encode',
    muxer,
    encoder: ['-c:a', 'flac', '-sample_fmt', (source.losslessBits ?? 16) > 16 ? 's32' : 's16'],
  };
}

/**
 * Where to seek so that the first packet copied begins nearest to the ideal place, in seconds before it. ffmpeg takes the
 * first packet that begins at or after the mark, so half a packet early is the middle. mp3 needs a whole one: a player
 * drops the decoder's delay of 1105 samples from the source, and not from a chunk, whose first frame is real sound.
 */
function earlierBy(cut: Cut & { kind: 'copy' }): number {
  return cut.codec === 'mp3' ? cut.packetSeconds : cut.packetSeconds / 2;
}

/** ffmpeg's options before and after the input for one chunk (pure). */
export function chunkOptions(chunk: PlannedChunk, cut: Cut): { input: string[]; output: string[] } {
  const seek = cut.kind === 'copy' ? Math.max(0, chunk.start - earlierBy(cut)) : chunk.start;
  return {
    input: [...(chunk.start === 0 ? [] : ['-ss', seek.toFixed(6)]), '-t', chunk.duration.toFixed(6)],
    output: [
      ...['-map', '0:a:0', '-map_metadata', '-1', '-map_chapters', '-1'],
      // Without it a copy begins at the page or cluster that was sought to, up to seconds early.
      ...(cut.kind === 'copy' ? ['-c:a', 'copy', '-copypriorss', '0'] : cut.encoder),
      ...['-f', cut.muxer],
    ],
  };
}
