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
 * Chooses the rate factors with the fewest bits for which the mean of all pictures reaches a VMAF (pure). At the minimum,
 * one more point costs the same bits in each scene, so the search is for this price. If the range allows no such
 * choice, the best pictures are chosen.
 */
export function chooseSceneCrfs(scenes: readonly ProbedScene[], vmaf: number, range: CrfRange): number[] {
  const choices = scenes.map((scene) => choicesOf(scene, range));
  const frames = scenes.reduce((sum, scene) => sum + scene.frames, 0);
  const chosenAt = (price: number): Choice[] => choices.map((ofScene) => cheapest(ofScene, price));
  let [least, most] = leastAndMostPrice;
  // Halving the range of the logarithm leaves a millionth of it.
  for (let round = 0; round < 25; round += 1) {
    const price = Math.sqrt(least * most);
    const total = chosenAt(price).reduce((sum, choice) => sum + choice.vmaf, 0);
    if (total < vmaf * frames) least = price;
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

function choicesOf({ frames, probes }: ProbedScene, { best, worst }: CrfRange): [Choice, ...Choice[]] {
  const sorted = probes.toSorted((one, other) => one.crf - other.crf);
  const at = (crf: number): Choice => {
    const before = Math.max(
      0,
      Math.min(
        sorted.length - 2,
        sorted.findLastIndex((probe) => probe.crf <= crf),
      ),
    );
    const [low, high] = sorted.slice(before);
    if (low === undefined || high === undefined) throw new Error('A scene needs two probes');
    const share = (crf - low.crf) / (high.crf - low.crf);
    return {
      crf,
      vmaf: frames * (low.vmaf + share * (high.vmaf - low.vmaf)),
      // A step of the rate factor takes about the same share of the bits.
      bits: frames * low.bitrate * (high.bitrate / low.bitrate) ** share,
    };
  };
  const further = Array.from({ length: Math.floor((worst - best) / step) }, (_, index) =>
    at(best + (index + 1) * step),
  );
  return [at(best), ...further];
}
