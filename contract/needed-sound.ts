import type { AudioOptions } from './http/audio.ts';
import type { DescribedOutput } from './http/output.ts';

/** Only packages have lists. */
export function singleAudio(audio: DescribedOutput['audio']): AudioOptions {
  return audio === undefined || audio === false || Array.isArray(audio) ? {} : audio;
}

/** Whether a field of the request needs sound. */
function asksForSound({ audio, channels, downmix, sampleRate, track, loudness, level }: DescribedOutput): boolean {
  const { copy, ...encoded } = singleAudio(audio);
  const isCopyAlone = copy === true && Object.keys(encoded).length === 0;
  const asked = isCopyAlone ? undefined : audio;
  return [asked, channels, downmix, sampleRate, track, loudness, level].some((field) => field !== undefined);
}

/** Whether a report is limited to a part of the sound. Without sound, a report describes the file. */
function isOfPart({ track, trim, fade, silence, level }: DescribedOutput): boolean {
  return [track, trim, fade, silence, level].some((field) => field !== undefined);
}

/** Whether an output with sound is refused without it, whatever the source (pure). */
export function needsSound(request: DescribedOutput, kind: { isReport: boolean; hasVideo: boolean }): boolean {
  if (kind.isReport) return isOfPart(request);
  return !kind.hasVideo || asksForSound(request);
}
