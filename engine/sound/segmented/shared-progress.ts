import { performance } from 'node:perf_hooks';

/** Combined progress of several processes. */
export interface SharedProgress {
  /**
   * Adds a process that will work through this many seconds of media. The returned function takes the seconds done so
   * far.
   */
  share(seconds: number): (doneSeconds: number) => void;
}

/** `report` receives the finished fraction and the speed in seconds of source per second. */
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
