import type { QualityTarget } from '../../../../contract/http/checks.ts';
import type { PictureTarget } from '../encode-pictures.ts';
import type { FilmProbe, ProbeFilm } from './probe-film.ts';
import { type CrfRange, mostProbes, nextCrf } from './search-crf.ts';

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
