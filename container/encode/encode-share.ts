import type { JobContext } from '../jobs/job.ts';

/** The job for what takes only a share of the phase that encodes: its progress goes from `from` to `to`, of 0 to 1. */
export function withEncodeShare(job: JobContext, from: number, to: number): JobContext {
  return {
    ...job,
    advance(phase, fraction, speed, video) {
      const isScaled = phase === 'encode' && fraction !== undefined && Number.isFinite(fraction);
      job.advance(phase, isScaled ? from + (to - from) * Math.min(1, fraction) : fraction, speed, video);
    },
  };
}
