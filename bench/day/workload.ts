import { randomNumbers } from '../../test/support/random.ts';

/** A run of the simulated day. Times are in seconds from midnight. */
export interface DayRun {
  arrivesAt: number;
  /** Seconds for which the run holds a container. */
  workSeconds: number;
}

interface Kind {
  name: string;
  /** Share of all runs; the shares of all kinds add up to 1. */
  share: number;
  /** Median length of the source. */
  medianMinutes: number;
  /** Seconds of work for a second of the source on 2 cores. */
  secondsPerSecond: number;
}

/**
 * Speeds on 2 cores: docs/measurements.md, "All cores for one file" and "A film of two hours"; 1080p is scaled by its
 * pixels.
 */
export const kinds: readonly Kind[] = [
  { name: 'talk to mp3', share: 0.7, medianMinutes: 40, secondsPerSecond: 0.54 / 60 },
  { name: 'film to 480p', share: 0.22, medianMinutes: 15, secondsPerSecond: 713 / 7200 },
  { name: 'film to 1080p', share: 0.08, medianMinutes: 15, secondsPerSecond: (713 / 7200) * (1080 / 480) ** 2 },
];

/** Work besides the media: download, verification, upload and the workflow. */
const overheadSeconds = 2;
const lengthSpread = 0.6;

export const daySeconds = 86_400;
const peak = { atHour: 9, widthHours: 0.6, share: 0.5 };

/** Half of the runs start around nine in the morning; the others come more by day than by night. */
export function makeDay(count: number, seed: number): DayRun[] {
  const random = randomNumbers(seed);
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  const arrivalHour = (): number => {
    if (random() < peak.share) return peak.atHour + peak.widthHours * normal();
    for (;;) {
      const hour = 24 * random();
      // Midnight has a quarter of the runs of noon.
      if (random() < 0.625 - 0.375 * Math.cos((2 * Math.PI * hour) / 24)) return hour;
    }
  };
  const kindOf = (): Kind => {
    let left = random();
    return kinds.find(({ share }) => (left -= share) < 0) ?? kinds[0]!;
  };
  const runs = Array.from({ length: count }, (): DayRun => {
    const { medianMinutes, secondsPerSecond } = kindOf();
    const seconds = 60 * medianMinutes * Math.exp(lengthSpread * normal());
    const arrivesAt = Math.min(Math.max(3_600 * arrivalHour(), 0), daySeconds - 1);
    return { arrivesAt, workSeconds: overheadSeconds + seconds * secondsPerSecond };
  });
  return runs.sort((a, b) => a.arrivesAt - b.arrivesAt);
}
