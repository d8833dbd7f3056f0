import { AsyncLocalStorage } from 'node:async_hooks';

/** What a job has used so far. */
export interface UsageMeter {
  /** Undefined until a process has ended and its system reported its processor time. */
  cpuSeconds: number | undefined;
  bytesIn: number;
  bytesOut: number;
}

const meters = new AsyncLocalStorage<UsageMeter>();

/** Counts on the meter what `work` and all that it starts use. */
export function withMeter<Result>(meter: UsageMeter, work: () => Promise<Result>): Promise<Result> {
  return meters.run(meter, work);
}

/** The meter of the current job; undefined outside a job that is metered. */
export function currentMeter(): UsageMeter | undefined {
  return meters.getStore();
}
