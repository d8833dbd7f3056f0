import type { QualityTarget } from '../../../contract/http/checks.ts';
import type { PictureTarget } from '../picture-target.ts';
import type { FilmProbe, ProbeFilm } from './probe-film.ts';
import { type CrfRange, marginOf, mostProbes, nextCrf } from './search-crf.ts';

/** Tries rate factors on samples until further ones would not help (`search-crf.ts`). */
export async function probeTowards(
  probe: ProbeFilm,
  target: PictureTarget,
  wanted: QualityTarget,
  { range, start }: { range: CrfRange; start: number },
  onFraction: (fraction: number) => void,
): Promise<FilmProbe[]> {
  const probes: FilmProbe[] = [];
  for (;;) {
    const crf = nextCrf(probes, wanted, range, start);
    if (crf === undefined) return probes;
    probes.push(await probe(target, crf, (fraction) => onFraction((probes.length + fraction) / mostProbes)));
  }
}

/**
 * True if the samples have no flaw where other films do, as in black, so that nothing is known about the rest of the
 * film. A rate factor better than the usual one proves nothing, because no film shows flaws there; the worst one shows
 * flaws even in black.
 */
export function areFlawless(probes: readonly FilmProbe[], wanted: QualityTarget, usualCrf: number): boolean {
  return probes.some((probe) => probe.isFlawless && probe.crf >= usualCrf && marginOf(probe, wanted) >= 0);
}
