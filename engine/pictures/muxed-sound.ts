import { audioCodecFacts } from '../../contract/audio-codecs.ts';
import { containers } from '../../contract/formats.ts';
import { readSoundBeginning } from '../ffmpeg/sound-starts.ts';
import { codecDelayPlace, writeCodecDelay } from '../formats/matroska/codec-delay.ts';
import type { OutputPlan } from '../plan/planned-output.ts';

/** How encoded sound is copied beside pictures: the path of its file, and ffmpeg options. */
export interface MuxedSound {
  path: string;
  input: readonly string[];
  output: readonly string[];
  /** Seconds of decoder delay that must be written into the finished file. */
  unsaidDelay: number;
}

/**
 * Matroska has no negative times, and ffmpeg 5.1 shifts the pictures if the sound has one. The first packet of Vorbis
 * yields no sample.
 */
const fromZero = ['-bsf:a', 'setts=ts=max(TS\\,0)'];

/**
 * Decides by the sound's own file. In encoded sound, the first audible sample is the output's first; copied sound is on
 * the output's clock. Matroska counts from the first packet and subtracts the stated delay.
 */
export async function planMuxedSound(
  path: string,
  { audio, container }: Pick<OutputPlan, 'audio' | 'container'>,
  signal: AbortSignal,
): Promise<MuxedSound> {
  if (audio === undefined || containers[container].demuxer !== 'matroska')
    return { path, input: [], output: [], unsaidDelay: 0 };
  const { firstPacket, heard } = await readSoundBeginning(path, signal);
  const { delayInMatroska } = audioCodecFacts(audio.codec);
  const delay = delayInMatroska === undefined ? 0 : Math.max(0, heard - firstPacket);
  const offset = delay - (audio.isCopied === true ? 0 : heard);
  const unsaidDelay = delayInMatroska === 'undeclared' ? delay : 0;
  return {
    path,
    input: ['-itsoffset', offset.toFixed(6)],
    output: [...fromZero, ...(unsaidDelay === 0 ? [] : ['-metadata:s:a:0', `title=${codecDelayPlace}`])],
    unsaidDelay,
  };
}

/** Arguments that map the sound from this input. */
export function muxedSoundArguments({ output }: MuxedSound, input: number): string[] {
  return ['-map', `${input}:a:0`, '-c:a', 'copy', ...output];
}

/** Completes the file after ffmpeg has ended. */
export async function finishMuxedSound(outputPath: string, { unsaidDelay }: MuxedSound): Promise<void> {
  if (unsaidDelay > 0) await writeCodecDelay(outputPath, unsaidDelay, unsaidDelay);
}
