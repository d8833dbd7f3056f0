import type { JobKind, JobPhase, VideoProgress } from '../../contract/http/job.ts';

/** Start and end of each phase in percent of the job, measured with long files. */
const spans: Record<JobKind, Partial<Record<JobPhase, readonly [number, number]>>> = {
  encode: {
    download: [0, 10],
    probe: [10, 11],
    measure: [11, 15],
    encode: [11, 90],
    verify: [90, 93],
    upload: [93, 100],
    deliver: [93, 100],
  },
  chunk: { download: [0, 40], probe: [40, 42], chunk: [42, 60], verify: [60, 70], upload: [70, 100] },
  metadata: { download: [0, 80], probe: [80, 100] },
};

/**
 * Relative durations of the phases, measured with long files; they estimate the phases after the current one. A
 * download does not predict its encode, so an encode job has an estimate only from the encode on.
 */
const timeShares: Record<JobKind, Partial<Record<JobPhase, number>>> = {
  encode: { encode: 100, verify: 1, upload: 3, deliver: 3 },
  chunk: { download: 40, probe: 2, chunk: 18, verify: 10, upload: 30 },
  metadata: { download: 80, probe: 20 },
};

/** Sum of the shares of later phases; a job has either `upload` or `deliver`. */
function laterShares(kind: JobKind, phase: JobPhase): number {
  const order: JobPhase[] = ['download', 'probe', 'measure', 'encode', 'chunk', 'verify', 'upload'];
  const place = order.indexOf(phase);
  if (place === -1) return 0;
  return order.slice(place + 1).reduce((sum, later) => sum + (timeShares[kind][later] ?? 0), 0);
}

/** Shortest interval between two calls of the listeners in milliseconds: a fast disk must not flood them. */
const changeIntervalMs = 200;

export interface ProgressFacts {
  phase: JobPhase;
  percent: number;
  speed?: number;
  video?: VideoProgress;
  etaSeconds?: number;
  advances: number;
}

export interface ProgressMeter {
  /**
   * Reports that bytes moved or media time passed. `fraction` (0 to 1) of `phase` is done; undefined for an unknown
   * total.
   */
  advance(phase: JobPhase, fraction: number | undefined, speed?: number, video?: VideoProgress): void;
  /** Seconds spent in each phase so far. */
  phaseSeconds(): ReadonlyMap<JobPhase, number>;
  /** An ended job has no estimate of the time left. */
  view(ended: boolean): ProgressFacts;
}

/** Part of a phase below which its rate is not reliable. */
const leastFraction = 0.05;

/**
 * Estimates the time left from the rate of the current phase. Until a phase has a rate, the previous estimate runs on.
 */
export function createProgressMeter(
  kind: JobKind,
  onChange: () => void,
  nowMs = (): number => performance.now(),
): ProgressMeter {
  let phase: JobPhase = 'download';
  let phaseFraction = 0;
  let phaseStartedMs = nowMs();
  let percent = 0;
  let speed: number | undefined;
  let video: VideoProgress | undefined;
  let advances = 0;
  let calledAtMs = -Infinity;
  let expectedEndMs: number | undefined;

  const endedPhases = new Map<JobPhase, number>();
  const currentAt = (atMs: number): number => (endedPhases.get(phase) ?? 0) + (atMs - phaseStartedMs) / 1000;

  const estimateEnd = (atMs: number): void => {
    const share = timeShares[kind][phase];
    if (share === undefined || phaseFraction < leastFraction) return;
    const phaseMs = (atMs - phaseStartedMs) / phaseFraction;
    expectedEndMs = phaseStartedMs + phaseMs * (1 + laterShares(kind, phase) / share);
  };

  return {
    advance(newPhase, fraction, newSpeed, newVideo) {
      const atMs = nowMs();
      const [from, to] = spans[kind][newPhase] ?? [percent, percent];
      const isNewPhase = newPhase !== phase;
      if (isNewPhase) {
        endedPhases.set(phase, currentAt(atMs));
        [phase, phaseFraction, phaseStartedMs] = [newPhase, 0, atMs];
      }
      // An empty source or an unknown length has a total of 0 and thus no fraction.
      const known = fraction !== undefined && Number.isFinite(fraction) ? fraction : 0;
      phaseFraction = Math.max(phaseFraction, Math.min(1, known));
      percent = Math.max(percent, from + (to - from) * phaseFraction);
      speed = newSpeed !== undefined && Number.isFinite(newSpeed) ? newSpeed : undefined;
      video = newVideo;
      advances += 1;
      estimateEnd(atMs);
      if (!isNewPhase && atMs - calledAtMs < changeIntervalMs) return;
      calledAtMs = atMs;
      onChange();
    },
    phaseSeconds: () => new Map(endedPhases).set(phase, currentAt(nowMs())),
    view(ended) {
      const etaSeconds =
        ended || expectedEndMs === undefined ? undefined : Math.max(0, Math.round((expectedEndMs - nowMs()) / 1000));
      return {
        phase,
        percent: Math.round(percent * 10) / 10,
        ...(speed === undefined ? {} : { speed }),
        ...(video === undefined ? {} : { video }),
        ...(etaSeconds === undefined ? {} : { etaSeconds }),
        advances,
      };
    },
  };
}
