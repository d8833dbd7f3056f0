import { performance } from 'node:perf_hooks';

/** The progress of several processes as that of one. */
export interface SharedProgress {
  /** For a process that will work through so many seconds of media. The returned function is told how many are done. */
  share(seconds: number): (doneSeconds: number) => void;
}

/** `report` is told the fraction that is done, and how many seconds of the source are done in a second. */
export function createSharedProgress(
  sourceSeconds: number,
  report: (fraction: number, speed: number) => void,
): SharedProgress {
  const startedAtMs = performance.now();
  let whole = 0;
  let done = 0;
  return {
    share(seconds) {
      whole += seconds;
      let mine = 0;
      return (doneSeconds) => {
        const now = Math.min(seconds, Math.max(mine, doneSeconds));
        done += now - mine;
        mine = now;
        const fraction = whole === 0 ? 0 : done / whole;
        report(fraction, (fraction * sourceSeconds * 1000) / (performance.now() - startedAtMs));
      };
    },
  };
}
