import type { AudioCodec } from '../../../contract/audio-codecs.ts';
import type { ContainerName } from '../../../contract/formats.ts';
import { aacFrameSamples } from '../../formats/aac/frame.ts';
import { samplesPerFrame } from '../../formats/mp3/frame.ts';
import { opusSampleRate } from '../../formats/ogg/opus.ts';
import { greatestCommonDivisor, type CodecFrames, type GridOutput } from './grid.ts';
import { joinAac } from './join/aac.ts';
import type { JoinResult, SegmentFile } from './join/join-segments.ts';
import { collectSampleParts } from './join/sample-parts.ts';
import { joinMp3 } from './join/mp3.ts';
import { joinOpus } from './join/opus.ts';

/** What has to be known of a codec to encode it in segments and to join them. */
export interface JoinableCodec extends CodecFrames {
  /** Files that the join reads and writes. */
  containers: readonly ContainerName[];
  /** Frames before the cut that an encoder needs to forget that it began later. Measured on music and speech (docs/decisions/overlap-segments-until-encoders-agree.md). */
  runInFrames: number;
  /** Frames past the cut among which the seam is sought. */
  runOutFrames: number;
  /** Starting processes and joining takes as long as it takes to encode so many seconds of audio. */
  fixedCostSeconds: number;
  /** Why an output of this bitrate and rate cannot be joined, if so. */
  refuse?(output: GridOutput): string | undefined;
  /** frames that an encoder makes of so many samples of each channel */
  frameCount(samples: number, sampleRate: number): number;
  join(segments: readonly SegmentFile[], outputPath: string): Promise<JoinResult>;
}

/** With encoders, which do most of the work. */
const encodersFixedCostSeconds = 20;

/** Samples that LAME puts before the first, and at least after the last (encoder.h, ENCDELAY; lame.c, end_padding). */
const lameDelay = 576;
const lamePadding = 576;

/**
 * With fewer bits than this for each sample LAME's reservoir is at its end all the time, and two encoders of speech do not
 * come to agree (docs/decisions/join-segments-exactly-or-fall-back.md).
 */
const minMp3BitsPerSample = 0.7;

const mp3: JoinableCodec = {
  containers: ['mp3'],
  // With half of it one seam in ten was not exact.
  runInFrames: 400,
  runOutFrames: 60,
  fixedCostSeconds: encodersFixedCostSeconds,
  frameSamples: samplesPerFrame,
  // ISO/IEC 11172-3, 2.4.3.1: a padding byte in some frames makes up the rate; the pattern repeats after so many.
  encoderPeriod({ bitrate = 0, sampleRate }) {
    const bytesTimesRate = (samplesPerFrame(sampleRate) / 8) * bitrate * 1000;
    return sampleRate / greatestCommonDivisor(bytesTimesRate, sampleRate);
  },
  refuse: ({ bitrate = 0, sampleRate }) =>
    bitrate * 1000 < minMp3BitsPerSample * sampleRate ? 'too few bits for two encoders to agree' : undefined,
  frameCount: (samples, sampleRate) => Math.ceil((samples + lameDelay + lamePadding) / samplesPerFrame(sampleRate)),
  join: joinMp3,
};

const aac: JoinableCodec = {
  containers: ['m4a', 'm4b', 'mp4'],
  runInFrames: 400,
  runOutFrames: 60,
  fixedCostSeconds: encodersFixedCostSeconds,
  frameSamples: () => aacFrameSamples,
  encoderPeriod: () => 1,
  // One of priming before the first.
  frameCount: (samples) => Math.ceil(samples / aacFrameSamples) + 1,
  join: joinAac,
};

/** Samples at 48 kHz that libopus puts before the first, as ffmpeg calls it. */
const opusPreSkip = 312;

/** Frames of 20 ms (RFC 6716, 2.1.4). */
const opusFramesPerSecond = 50;

const opus: JoinableCodec = {
  containers: ['ogg'],
  runInFrames: 1000,
  runOutFrames: 160,
  fixedCostSeconds: encodersFixedCostSeconds,
  // libopus works at the output's own rate.
  frameSamples: (sampleRate) => sampleRate / opusFramesPerSecond,
  // libopus seeds its noise filling by a counter; seams come out the same where it goes on at a multiple of four frames.
  encoderPeriod: () => 4,
  frameCount(samples, sampleRate) {
    const playedSamples = (samples * opusSampleRate) / sampleRate + opusPreSkip;
    return Math.ceil(playedSamples / (opusSampleRate / opusFramesPerSecond));
  },
  join: joinOpus,
};

/** A codec that is not here is encoded by the single run. */
export const joinableCodecs: Readonly<Partial<Record<AudioCodec, JoinableCodec>>> = { mp3, aac, opus };

/** Samples for analyses, which no encoder has to run in for: a frame is one sample, at the source's own rate. */
export const joinableSamples: JoinableCodec = {
  containers: ['wav'],
  runInFrames: 0,
  runOutFrames: 0,
  // Decoding goes a thousand times as fast as the sound, and a process starts in a tenth of a second.
  fixedCostSeconds: 100,
  // Parts follow one another, and segments of these would have to overlap.
  refuse: ({ evensSpeech }) => (evensSpeech ? 'samples of speakers made equal' : undefined),
  frameSamples: () => 1,
  encoderPeriod: () => 1,
  frameCount: (samples) => samples,
  join: collectSampleParts,
};
