import type { Work } from './work.ts';

/** The same work, whose progress in the phase `encode` is scaled to the range from `from` to `to` (0 to 1). */
export function withEncodeShare(work: Work, from: number, to: number): Work {
  return {
    ...work,
    advance(phase, fraction, speed, video) {
      const isScaled = phase === 'encode' && fraction !== undefined && Number.isFinite(fraction);
      work.advance(phase, isScaled ? from + (to - from) * Math.min(1, fraction) : fraction, speed, video);
    },
  };
}
