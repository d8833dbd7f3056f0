import type { JobKind, JobPhase } from '../../contract/http/job.ts';

/** Where each phase begins and ends, in percent of the whole, as measured with long files. */
const spans: Record<JobKind, Partial<Record<JobPhase, readonly [number, number]>>> = {
  encode: {
    download: [0, 10],
    probe: [10, 11],
    encode: [11, 90],
    verify: [90, 93],
    upload: [93, 100],
    deliver: [93, 100],
  },
  chunk: { download: [0, 40], probe: [40, 42], chunk: [42, 60], verify: [60, 70], upload: [70, 100] },
};

/** Milliseconds between two calls of the listeners at least, so that a fast disk does not flood them. */
const changeIntervalMs = 200;

export interface ProgressFacts {
  phase: JobPhase;
  percent: number;
  speed?: number;
  etaSeconds?: number;
  advances: number;
}

export interface ProgressMeter {
  /** Bytes have moved or media time has passed: `fraction` (0 to 1) of `phase` is done; undefined where the whole is unknown. */
  advance(phase: JobPhase, fraction: number | undefined, speed?: number): void;
  /** Without an estimate of the time left where the job has ended. */
  view(ended: boolean): ProgressFacts;
}

export function createProgressMeter(kind: JobKind, startedAtMs: number, onChange: () => void): ProgressMeter {
  let phase: JobPhase = 'download';
  let percent = 0;
  let speed: number | undefined;
  let advances = 0;
  let calledAtMs = 0;
  return {
    advance(newPhase, fraction, newSpeed) {
      const [from, to] = spans[kind][newPhase] ?? [percent, percent];
      const isNewPhase = newPhase !== phase;
      phase = newPhase;
      percent = Math.max(percent, from + (to - from) * Math.min(1, Math.max(0, fraction ?? 0)));
      speed = newSpeed;
      advances += 1;
      const nowMs = Date.now();
      if (!isNewPhase && nowMs - calledAtMs < changeIntervalMs) return;
      calledAtMs = nowMs;
      onChange();
    },
    view(ended) {
      const elapsedSeconds = (Date.now() - startedAtMs) / 1000;
      // An earlier estimate would mislead.
      const etaSeconds = !ended && percent >= 3 ? Math.round((elapsedSeconds / percent) * (100 - percent)) : undefined;
      return {
        phase,
        percent: Math.round(percent * 10) / 10,
        ...(speed === undefined ? {} : { speed }),
        ...(etaSeconds === undefined ? {} : { etaSeconds }),
        advances,
      };
    },
  };
}
