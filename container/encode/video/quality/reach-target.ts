import { rm } from 'node:fs/promises';
import type { QualityTarget } from '../../../../contract/http/checks.ts';
import { videoCodecFacts } from '../../../../contract/video-codecs.ts';
import type { JobContext } from '../../../jobs/job.ts';
import type { PictureLimits } from '../../limits.ts';
import { encodePictures, type PictureTarget } from '../encode-pictures.ts';
import type { PictureSource } from '../picture-source.ts';
import type { VideoTiming } from '../video-timing.ts';
import { measureQuality } from './measure-quality.ts';
import { planFilmSamples } from './samples.ts';
import { chooseCrf, type CrfProbe, mostProbes, nextCrf } from './search-crf.ts';

/** dB; where the encoder leaves no trace, as in black, which says nothing of the rest. VMAF of pictures that are the same may be 97. */
const flawlessPsnr = 55;

/** The rate factor at which samples of the film reach a target, by encoding and measuring them at several (`search-crf.ts`). */
export async function findCrf(
  source: PictureSource,
  target: PictureTarget,
  wanted: QualityTarget,
  limits: PictureLimits,
  job: JobContext,
): Promise<CrfProbe | undefined> {
  const { video } = target.plan;
  const { crf: range } = videoCodecFacts(video.codec);
  if (range === undefined) return undefined;
  let samples = planFilmSamples(video.timing);
  const probes: CrfProbe[] = [];
  for (;;) {
    const crf = nextCrf(probes, wanted, range, video.crf ?? range.default);
    if (crf === undefined) return chooseCrf(probes, wanted);
    const scores = [];
    for (const [index, sample] of samples.entries()) {
      job.advance('encode', (probes.length + index / samples.length) / mostProbes);
      scores.push({ sample, ...(await probeSample(source, sample, target, crf, limits, job)) });
    }
    const telling = scores.filter(({ psnr }) => psnr < flawlessPsnr);
    const used = telling.length === 0 ? scores : telling;
    // The same samples at each, else two probes could not be compared.
    if (probes.length === 0) samples = used.map(({ sample }) => sample);
    const kept = probes.length === 0 ? used : scores;
    probes.push({
      crf,
      vmaf: kept.reduce((sum, { vmaf }) => sum + vmaf, 0) / kept.length,
      percentile1: Math.min(...kept.map(({ percentile1 }) => percentile1)),
    });
  }
}

async function probeSample(
  source: PictureSource,
  timing: VideoTiming,
  { plan, path }: PictureTarget,
  crf: number,
  limits: PictureLimits,
  job: JobContext,
): Promise<{ vmaf: number; percentile1: number; psnr: number }> {
  const { audio: _, ...film } = plan;
  const target = {
    plan: { ...film, video: { ...plan.video, crf, timing, fade: undefined } },
    path: `${path}-sample`,
    soundPath: undefined,
  };
  const silent = { ...job, advance: () => {} };
  const [encoded] = await encodePictures(source, [target], limits, silent);
  const { vmaf, psnr } = await measureQuality(source, target, encoded?.frames ?? 0, {
    ...{ limits, signal: job.signal },
    onFraction: () => {},
  });
  await rm(target.path, { force: true });
  return { vmaf: vmaf.mean, percentile1: vmaf.percentile1, psnr: psnr.mean };
}
