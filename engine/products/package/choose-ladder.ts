/** Result of encoding samples of a film with one size and rate factor. */
export interface Trial {
  /** kbit/s on average */
  bitrate: number;
  /** VMAF at the largest size, to which smaller pictures are enlarged. */
  vmaf: number;
}

export interface JudgedTrial<Tried extends Trial> {
  trial: Tried;
  isChosen: boolean;
  reason: string;
}

/** Target of the best rendition; few viewers see more. */
export const ladderTarget = 95;

/** Smallest difference of VMAF that most people see (Ozer, "Finding the Just Noticeable Difference with Netflix VMAF"). */
const noticeableStep = 6;
/** Largest share of the bits of the next larger size. Apple's sizes are 0.37 to 0.64 apart. */
const mostShareOfNext = 0.6;

const reasons = {
  reaches: `the fewest bits with a VMAF of ${ladderTarget}`,
  best: `the best that was tried, below a VMAF of ${ladderTarget}`,
  step: 'clearly fewer bits than the one above, and clearly better than the one below',
  slow: 'for the slowest networks',
  beaten: 'another looks as good or better with no more bits',
  needless: `better than a VMAF of ${ladderTarget}, with no visible gain`,
  alike: 'a chosen rendition looks almost the same, or needs almost as many bits',
};

/**
 * Chooses the renditions of a film (pure; docs/decisions/choose-a-ladder-per-title.md): the best trial per bitrate,
 * from the lowest bitrate that reaches the target downwards in visible steps, and the best for a slow network. The
 * largest comes first.
 */
export function chooseLadder<Tried extends Trial>(
  trials: readonly Tried[],
  { lowestBitrate, most }: { lowestBitrate: number; most: number },
): JudgedTrial<Tried>[] {
  const front = frontOf(trials);
  const top = front.findLast(({ vmaf }) => vmaf >= ladderTarget) ?? front[0];
  if (top === undefined) return [];
  const below = front.filter(({ bitrate }) => bitrate < top.bitrate);
  const cheapest = below.find(({ bitrate }) => bitrate <= lowestBitrate) ?? below.at(-1);
  const slow = top.bitrate > lowestBitrate && isLess(cheapest, top) ? cheapest : undefined;
  const chosen = [top];
  for (const trial of below) {
    const last = chosen.at(-1) ?? top;
    const isStep = isLess(trial, last) && last.vmaf - trial.vmaf >= noticeableStep;
    const isAboveSlow = slow !== undefined && isLess(slow, trial) && trial.vmaf - slow.vmaf >= noticeableStep;
    if (isStep && isAboveSlow && chosen.length < most - 1) chosen.push(trial);
  }
  if (slow !== undefined && most > 1) chosen.push(slow);
  const reasonOf = (trial: Tried): string => {
    if (trial === top) return trial.vmaf >= ladderTarget ? reasons.reaches : reasons.best;
    if (trial === slow) return reasons.slow;
    if (chosen.includes(trial)) return reasons.step;
    if (!front.includes(trial)) return reasons.beaten;
    return trial.bitrate > top.bitrate ? reasons.needless : reasons.alike;
  };
  return trials
    .map((trial) => ({ trial, isChosen: chosen.includes(trial), reason: reasonOf(trial) }))
    .toSorted((one, other) => other.trial.bitrate - one.trial.bitrate || other.trial.vmaf - one.trial.vmaf);
}

const isLess = (trial: Trial | undefined, other: Trial): boolean =>
  trial !== undefined && trial.bitrate <= mostShareOfNext * other.bitrate;

/** Trials that no other trial beats in quality with at most as many bits, best first. */
function frontOf<Tried extends Trial>(trials: readonly Tried[]): Tried[] {
  const sorted = trials.toSorted((one, other) => one.bitrate - other.bitrate || other.vmaf - one.vmaf);
  let best = -Infinity;
  const front: Tried[] = [];
  for (const trial of sorted) {
    if (trial.vmaf <= best) continue;
    best = trial.vmaf;
    front.push(trial);
  }
  return front.toReversed();
}
