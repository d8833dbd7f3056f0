import type { CrfProbe, CrfRange } from './search-crf.ts';

/** Results for the sample of a scene at several rate factors. */
export interface ProbedScene {
  frames: number;
  /** `bitrate` in kbit/s. */
  probes: readonly (Pick<CrfProbe, 'crf' | 'vmaf'> & { bitrate: number })[];
}

/** Distance of the rate factors that are compared. */
const step = 0.5;

interface Choice {
  crf: number;
  /** Pictures of the scene multiplied by the VMAF of each, and by kbit/s. */
  vmaf: number;
  bits: number;
}

/**
 * Chooses the rate factors with the fewest bits that keep the mean VMAF of one rate factor, `crf` (pure). At the minimum,
 * one more point costs the same bits in each scene, so the search is for this price. The samples of scenes are compared
 * only with each other: they are short, begin with a key frame, and look better than their film.
 */
export function chooseSceneCrfs(scenes: readonly ProbedScene[], crf: number, range: CrfRange): number[] {
  const choices = scenes.map((scene) => choicesOf(scene, range));
  const kept = scenes.reduce((sum, scene) => sum + choiceAt(scene, crf).vmaf, 0);
  const chosenAt = (price: number): Choice[] => choices.map((ofScene) => cheapest(ofScene, price));
  let [least, most] = leastAndMostPrice;
  // Halving the range of the logarithm leaves a millionth of it.
  for (let round = 0; round < 25; round += 1) {
    const price = Math.sqrt(least * most);
    const total = chosenAt(price).reduce((sum, choice) => sum + choice.vmaf, 0);
    if (total < kept) least = price;
    else most = price;
  }
  return chosenAt(most).map(({ crf }) => crf);
}

/** kbit/s for a point of VMAF. */
const leastAndMostPrice: readonly [number, number] = [1e-3, 1e9];

function cheapest(choices: readonly Choice[], price: number): Choice {
  const costOf = ({ bits, vmaf }: Choice): number => bits - price * vmaf;
  return choices.reduce((best, choice) => (costOf(choice) < costOf(best) ? choice : best));
}

function choicesOf(scene: ProbedScene, { best, worst }: CrfRange): [Choice, ...Choice[]] {
  const further = Array.from({ length: Math.floor((worst - best) / step) }, (_, index) =>
    choiceAt(scene, best + (index + 1) * step),
  );
  return [choiceAt(scene, best), ...further];
}

function choiceAt({ frames, probes }: ProbedScene, crf: number): Choice {
  const sorted = probes.toSorted((one, other) => one.crf - other.crf);
  const before = sorted.findLastIndex((probe) => probe.crf <= crf);
  const [low, high] = sorted.slice(Math.max(0, Math.min(sorted.length - 2, before)));
  if (low === undefined || high === undefined) throw new Error('A scene needs two probes');
  const share = (crf - low.crf) / (high.crf - low.crf);
  return {
    crf,
    vmaf: frames * (low.vmaf + share * (high.vmaf - low.vmaf)),
    // A step of the rate factor takes about the same share of the bits.
    bits: frames * low.bitrate * (high.bitrate / low.bitrate) ** share,
  };
}
