import type { QualityTarget } from '../../../contract/http/checks.ts';
import type { PictureTarget } from '../picture-target.ts';
import type { FilmProbe, ProbeFilm } from './probe-film.ts';
import { type CrfRange, marginOf, mostProbes, nextCrf } from './search-crf.ts';

/** Tries rate factors on samples of the film until none would tell more of which one reaches a target (`search-crf.ts`). */
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
 * Whether samples leave no flaw where films do, as black does: nothing is known of what the rest of the film needs (pure). Not of a better
 * rate factor than the usual one, where no film has any; and the worst shows flaws in black.
 */
export function areFlawless(probes: readonly FilmProbe[], wanted: QualityTarget, usualCrf: number): boolean {
  return probes.some((probe) => probe.isFlawless && probe.crf >= usualCrf && marginOf(probe, wanted) >= 0);
}
