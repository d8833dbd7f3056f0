import type { AudioCodec } from '../../../contract/formats.ts';

/** What a timeline is counted in: an output's frames, the samples that its encoder takes, the samples of the source. */
export interface FrameGrid {
  /** samples of the output in one frame, for each channel */
  frameSamples: number;
  /** Hz of output and source */
  outputRate: number;
  sourceRate: number;
  /** Segments begin at multiples of so many frames: there the encoder's and the resampler's own rhythms begin anew. */
  step: number;
}

export interface GridOutput {
  codec: AudioCodec;
  /** kbit/s */
  bitrate: number | undefined;
  /** Hz */
  sampleRate: number;
}

/** libswresample is exact in its phases up to so many of them (phase_shift 10). */
const maxResamplerPhases = 1024;

/** libopus seeds its noise filling by a counter; seams come out the same where it goes on at a multiple of four frames. */
const opusStep = 4;

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

function leastCommonMultiple(a: number, b: number): number {
  return (a / greatestCommonDivisor(a, b)) * b;
}

/** Frames after which the resampler is at a whole sample of the source and in its first phase again. */
function resamplerStep(frameSamples: number, outputRate: number, sourceRate: number): number {
  const outputPeriod = outputRate / greatestCommonDivisor(outputRate, sourceRate);
  return leastCommonMultiple(frameSamples, outputPeriod) / frameSamples;
}

/** Undefined for a codec that is not split, and for rates in no ratio that the resampler keeps exactly. */
export function frameGrid({ codec, bitrate, sampleRate }: GridOutput, sourceRate: number): FrameGrid | undefined {
  const phases = sampleRate / greatestCommonDivisor(sampleRate, sourceRate);
  if (phases > maxResamplerPhases) return undefined;
  const grid = (frameSamples: number, encoderStep: number): FrameGrid => ({
    frameSamples,
    outputRate: sampleRate,
    sourceRate,
    step: leastCommonMultiple(resamplerStep(frameSamples, sampleRate, sourceRate), encoderStep),
  });
  switch (codec) {
    case 'mp3': {
      // ISO/IEC 11172-3, 2.4.3.1: a padding byte in some frames makes up the rate; the pattern repeats after so many.
      const frameSamples = sampleRate >= 32_000 ? 1152 : 576;
      const bytesTimesRate = (frameSamples / 8) * (bitrate ?? 0) * 1000;
      return grid(frameSamples, sampleRate / greatestCommonDivisor(bytesTimesRate, sampleRate));
    }
    case 'aac':
      return grid(1024, 1);
    case 'opus':
      // 20 ms (RFC 6716, 2.1.4); libopus at the output's own rate.
      return grid(sampleRate / 50, opusStep);
    case 'flac':
    case 'wav':
      return undefined;
  }
}

/** Samples of the source before frame `frame`: whole at every step. */
export function sourceSamplesAt(grid: FrameGrid, frame: number): number {
  return (frame * grid.frameSamples * grid.sourceRate) / grid.outputRate;
}

export function roundUpToStep(grid: FrameGrid, frames: number): number {
  return Math.ceil(frames / grid.step) * grid.step;
}

/** Samples that LAME puts before the first, and at least after the last (encoder.h, ENCDELAY; lame.c, end_padding). */
const lameDelay = 576;
const lamePadding = 576;

/** Samples at 48 kHz that libopus puts before the first, as ffmpeg calls it. */
const opusPreSkip = 312;
const opusPlayRate = 48_000;

/** Frames that an encoder makes of so many samples. */
export function frameCount({ frameSamples, outputRate }: FrameGrid, codec: AudioCodec, samples: number): number {
  switch (codec) {
    case 'mp3':
      return Math.ceil((samples + lameDelay + lamePadding) / frameSamples);
    case 'aac':
      // One of priming before the first.
      return Math.ceil(samples / frameSamples) + 1;
    case 'opus': {
      const playFactor = opusPlayRate / outputRate;
      return Math.ceil((samples * playFactor + opusPreSkip) / (frameSamples * playFactor));
    }
    case 'flac':
    case 'wav':
      return 0;
  }
}
