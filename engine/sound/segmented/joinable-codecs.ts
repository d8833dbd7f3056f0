import type { AudioCodec } from '../../../contract/audio-codecs.ts';
import type { ContainerName } from '../../../contract/formats.ts';
import { greatestCommonDivisor } from '../../ffmpeg/rational.ts';
import { aacFrameSamples } from '../../formats/aac/frame.ts';
import { samplesPerFrame } from '../../formats/mp3/frame.ts';
import { opusSampleRate } from '../../formats/ogg/opus.ts';
import type { CodecFrames, GridOutput } from './grid.ts';
import { joinAac } from './join/aac.ts';
import type { JoinResult, SegmentFile } from './join/join-segments.ts';
import { collectSampleParts } from './join/sample-parts.ts';
import { joinMp3 } from './join/mp3.ts';
import { joinOpus } from './join/opus.ts';
import { joinVorbis } from './join/vorbis.ts';

export interface JoinableCodec extends CodecFrames {
  /** Containers that the join reads and writes. */
  containers: readonly ContainerName[];
  /**
   * Run-in after which an encoder has forgotten that it started late. Measured on music and speech
   * (docs/decisions/overlap-segments-until-encoders-agree.md).
   */
  runInFrames: number;
  /** Frames after the cut in which a seam is sought. */
  runOutFrames: number;
  /** Cost of starting processes and joining, in seconds of audio that could be encoded meanwhile. */
  fixedCostSeconds: number;
  /** Most channels that the join can compare; undefined: any number. */
  mostChannels?: number;
  /** Returns the reason if an output of this bitrate and rate cannot be joined. */
  refuse?(output: GridOutput): string | undefined;
  /** Frames that an encoder makes of this many samples per channel. */
  frameCount(samples: number, sampleRate: number): number;
  join(segments: readonly SegmentFile[], outputPath: string): Promise<JoinResult>;
}

/** Encoders do most of the work. */
const encodersFixedCostSeconds = 20;

/**
 * Samples that LAME inserts before the first and, at least, after the last (encoder.h, ENCDELAY; lame.c, end_padding).
 */
const lameDelay = 576;
const lamePadding = 576;

/**
 * With fewer bits per sample, LAME's reservoir is always at its limit, and two encoders of speech do not converge
 * (docs/decisions/join-segments-exactly-or-fall-back.md).
 */
const minMp3BitsPerSample = 0.7;

const mp3: JoinableCodec = {
  containers: ['mp3'],
  // With half of this, one seam in ten was not exact.
  runInFrames: 400,
  runOutFrames: 60,
  fixedCostSeconds: encodersFixedCostSeconds,
  frameSamples: samplesPerFrame,
  // A padding byte in some frames makes up the exact constant rate (ISO/IEC 11172-3, 2.4.3.1). The pattern repeats
  // after this many frames.
  encoderPeriod({ bitrate = 0, sampleRate }) {
    const bytesTimesRate = (samplesPerFrame(sampleRate) / 8) * bitrate * 1000;
    return sampleRate / greatestCommonDivisor(bytesTimesRate, sampleRate);
  },
  refuse: ({ bitrate = Infinity, sampleRate }) =>
    bitrate * 1000 < minMp3BitsPerSample * sampleRate ? 'too few bits for two encoders to agree' : undefined,
  frameCount: (samples, sampleRate) => Math.ceil((samples + lameDelay + lamePadding) / samplesPerFrame(sampleRate)),
  join: joinMp3,
};

const aac: JoinableCodec = {
  containers: ['m4a', 'm4b', 'mp4'],
  // More channels have several elements in a frame, and only decoding shows the windows of those after the first.
  mostChannels: 2,
  runInFrames: 400,
  runOutFrames: 60,
  fixedCostSeconds: encodersFixedCostSeconds,
  frameSamples: () => aacFrameSamples,
  encoderPeriod: () => 1,
  // One frame of priming precedes the first.
  frameCount: (samples) => Math.ceil(samples / aacFrameSamples) + 1,
  join: joinAac,
};

/** Samples at 48 kHz that libopus inserts before the first, as configured by ffmpeg. */
const opusPreSkip = 312;

/** A frame is 20 ms (RFC 6716, 2.1.4). */
const opusFramesPerSecond = 50;

const opus: JoinableCodec = {
  containers: ['ogg'],
  runInFrames: 1000,
  runOutFrames: 160,
  fixedCostSeconds: encodersFixedCostSeconds,
  // libopus works at the output's own rate.
  frameSamples: (sampleRate) => sampleRate / opusFramesPerSecond,
  // libopus seeds its noise filling with a counter. Seams match if encoding continues at a multiple of four frames.
  encoderPeriod: () => 4,
  frameCount(samples, sampleRate) {
    const playedSamples = (samples * opusSampleRate) / sampleRate + opusPreSkip;
    return Math.ceil(playedSamples / (opusSampleRate / opusFramesPerSecond));
  },
  join: joinOpus,
};

/** Blocks have two lengths, of at most 4096, so a frame is one sample. Segments begin where such a block may. */
const vorbis: JoinableCodec = {
  containers: ['ogg'],
  // 12 s and 6 s at 44.1 kHz.
  runInFrames: 2 ** 19,
  runOutFrames: 2 ** 18,
  fixedCostSeconds: encodersFixedCostSeconds,
  frameSamples: () => 1,
  encoderPeriod: () => 2048,
  frameCount: (samples) => samples,
  join: joinVorbis,
};

/** A codec that is not listed is encoded by a single run. */
export const joinableCodecs: Readonly<Partial<Record<AudioCodec, JoinableCodec>>> = { mp3, aac, opus, vorbis };

/** Samples for analyses, which need no run-in. A frame is one sample at the source's own rate. */
export const joinableSamples: JoinableCodec = {
  containers: ['wav'],
  runInFrames: 0,
  runOutFrames: 0,
  // Decoding is a thousand times as fast as real time, and a process starts in a tenth of a second.
  fixedCostSeconds: 100,
  // Parts are consecutive, but segments of such samples would have to overlap.
  refuse: ({ evensSpeech }) => (evensSpeech ? 'samples of speakers made equal' : undefined),
  frameSamples: () => 1,
  encoderPeriod: () => 1,
  frameCount: (samples) => samples,
  join: collectSampleParts,
};
