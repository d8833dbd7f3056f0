import type { AudioCodec } from '../../contract/audio-codecs.ts';
import { type ContainerName, containers } from '../../contract/formats.ts';
import { readSoundBeginning } from '../ffmpeg/sound-starts.ts';
import { codecDelayPlace, writeCodecDelay } from '../formats/matroska/codec-delay.ts';
import type { OutputPlan } from '../plan/planned-output.ts';

/** How encoded sound is copied beside pictures: where its file lies, and ffmpeg's options. */
export interface MuxedSound {
  path: string;
  input: readonly string[];
  output: readonly string[];
  /** Seconds that the finished file has to be told of, which come out of the decoder before what is heard. */
  unsaidDelay: number;
}

/** Codecs of whose delay ffmpeg 5.1 says nothing in Matroska. */
const delayedCodecs: ReadonlySet<AudioCodec> = new Set(['aac', 'ac3', 'mp3']);

/** Matroska has no times before 0, and ffmpeg 5.1 moves the pictures where sound has one. Of Vorbis no sample comes out of the first packet. */
const fromZero = ['-bsf:a', 'setts=ts=max(TS\\,0)'];

/**
 * Decides by the sound's own file. Where it was encoded its first sample that is heard is the output's first; what was copied has the
 * output's clock. Matroska counts packets from the first one, and subtracts from their times the delay that it is told.
 */
export async function planMuxedSound(
  path: string,
  { audio, container }: Pick<OutputPlan, 'audio' | 'container'>,
  signal: AbortSignal,
): Promise<MuxedSound> {
  if (audio === undefined || containers[container].demuxer !== 'matroska')
    return { path, input: [], output: [], unsaidDelay: 0 };
  const { firstPacket, heard } = await readSoundBeginning(path, signal);
  const delay = delayedCodecs.has(audio.codec) || audio.codec === 'opus' ? Math.max(0, heard - firstPacket) : 0;
  const offset = delay - (audio.isCopied === true ? 0 : heard);
  const unsaidDelay = audio.codec === 'opus' ? 0 : delay;
  return {
    path,
    input: ['-itsoffset', offset.toFixed(6)],
    output: [...fromZero, ...(unsaidDelay === 0 ? [] : ['-metadata:s:a:0', `title=${codecDelayPlace}`])],
    unsaidDelay,
  };
}

/** The arguments that map the sound, of which this input is the file (pure). */
export function muxedSoundArguments({ output }: MuxedSound, input: number): string[] {
  return ['-map', `${input}:a:0`, '-c:a', 'copy', ...output];
}

/** When ffmpeg has ended. */
export async function finishMuxedSound(outputPath: string, { unsaidDelay }: MuxedSound): Promise<void> {
  if (unsaidDelay > 0) await writeCodecDelay(outputPath, unsaidDelay, unsaidDelay);
}

/** The files of encoded sound that are copied from: of a kind that keeps where the first sample is, and the last. */
export const soundContainers: Record<AudioCodec, ContainerName> = {
  aac: 'm4a',
  alac: 'm4a',
  ac3: 'mp4',
  opus: 'ogg',
  vorbis: 'ogg',
  flac: 'flac',
  mp3: 'mp3',
  pcm: 'wav',
};
