import { rm } from 'node:fs/promises';
import { listPackets } from '../../ffmpeg/packet-list.ts';
import type { Work } from '../../work.ts';
import type { PictureLimits } from '../../ffmpeg/limits.ts';
import { placeContent } from '../../subtitles/subtitle-content.ts';
import { encodePictures } from '../encode-pictures.ts';
import type { PictureSource } from '../../source/pictures/picture-source.ts';
import { plannedSeconds, timingStart } from '../video-timing.ts';
import { measureQuality } from './measure-quality.ts';
import { planFilmSamples } from './samples.ts';
import type { CrfProbe } from './search-crf.ts';
import type { VideoTiming } from '../../plan/video-plan.ts';
import type { PictureTarget } from '../picture-target.ts';

/**
 * dB. Above it, the encoder left no trace, as in black, which reveals nothing about the rest. VMAF of identical
 * pictures may be 97.
 */
const flawlessPsnr = 55;

/** 8-bit steps. A still has at most 0.002, caused by its own encoder; a moving dot of 20 pixels has 0.09. */
const leastMotion = 0.02;

/** Results for samples of a film. */
export interface FilmProbe extends CrfProbe {
  /** Average kbit/s of all samples, and of the largest one. */
  bitrate: number;
  peakBitrate: number;
  /** All samples equal the encoder's input. */
  isFlawless: boolean;
  /** No sample has motion. */
  isStill: boolean;
}

/** Encodes and measures samples of a film at a rate factor. */
export type ProbeFilm = (
  target: PictureTarget,
  crf: number,
  onFraction: (fraction: number) => void,
) => Promise<FilmProbe>;

/**
 * Uses the same samples every time, so that probes can be compared. `reference` is a larger output of the same pictures
 * against which they are measured. `given` are the samples; undefined: short parts that are spread over the film.
 */
export function createFilmProber(
  source: PictureSource,
  limits: PictureLimits,
  job: Work,
  reference?: PictureTarget['plan'],
  given?: readonly VideoTiming[],
): ProbeFilm {
  let samples = given;
  return async (target, crf, onFraction) => {
    const tried = samples ?? planFilmSamples(target.plan.video.timing);
    const scores: (SampleScores & { timing: VideoTiming })[] = [];
    for (const [index, timing] of tried.entries()) {
      onFraction(index / tried.length);
      scores.push({ timing, ...(await probeSample(source, { timing, target, crf, reference }, limits, job)) });
    }
    const telling = scores.filter(({ psnr }) => psnr < flawlessPsnr);
    const kept = samples !== undefined || telling.length === 0 ? scores : telling;
    samples = kept.map(({ timing }) => timing);
    const sumOf = (name: 'bits' | 'seconds' | 'vmaf'): number => kept.reduce((sum, one) => sum + one[name], 0);
    return {
      crf,
      vmaf: sumOf('vmaf') / kept.length,
      percentile1: Math.min(...kept.map(({ percentile1 }) => percentile1)),
      bitrate: sumOf('bits') / sumOf('seconds') / 1000,
      peakBitrate: Math.max(...kept.map(({ bits, seconds }) => bits / seconds / 1000)),
      isFlawless: kept.every(({ psnr }) => psnr >= flawlessPsnr),
      isStill: kept.every(({ motion }) => motion < leastMotion),
    };
  };
}

interface SampleScores {
  vmaf: number;
  percentile1: number;
  psnr: number;
  motion: number;
  bits: number;
  seconds: number;
}

interface Sample {
  timing: VideoTiming;
  target: PictureTarget;
  crf: number;
  reference: PictureTarget['plan'] | undefined;
}

/** Restricts a film's plan to one sample. */
function planOfSample(plan: PictureTarget['plan'], timing: VideoTiming, crf = plan.video.crf): PictureTarget['plan'] {
  const { audio: _, subtitles: __, ...film } = plan;
  const { drawnSubtitles } = film.video;
  const window = { start: timingStart(timing) - timingStart(film.video.timing), seconds: plannedSeconds(timing) };
  const drawn = drawnSubtitles && { drawnSubtitles: placeContent(drawnSubtitles, window) };
  return { ...film, video: { ...film.video, ...drawn, timing, crf, fade: undefined } };
}

async function probeSample(
  source: PictureSource,
  { timing, target, crf, reference }: Sample,
  limits: PictureLimits,
  job: Work,
): Promise<SampleScores> {
  const path = `${target.path}-sample`;
  const made = { plan: planOfSample(target.plan, timing, crf), path, soundPath: undefined };
  const silent = { ...job, advance: () => {} };
  const [encoded] = await encodePictures(source, [made], limits, silent);
  const compared = reference === undefined ? made : { ...made, plan: planOfSample(reference, timing) };
  const {
    quality: { vmaf, psnr },
    motion,
  } = await measureQuality(source, compared, encoded?.frames ?? 0, {
    ...{ limits, signal: job.signal, isEnlarged: reference !== undefined },
    onFraction: () => {},
  });
  const packets = await listPackets(path, 0, job.signal);
  await rm(path, { force: true });
  return {
    ...{ vmaf: vmaf.mean, percentile1: vmaf.percentile1, psnr: psnr.mean, motion },
    bits: packets.reduce((sum, { size }) => sum + 8 * size, 0),
    seconds: plannedSeconds(timing),
  };
}
