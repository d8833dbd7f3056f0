import type { Logger } from 'pino';
import { describeProblem } from '../problem-error.ts';

const sweepEveryMs = 10 * 60_000;

/**
 * Sweeps now and then every ten minutes, until the returned function is called. A failure is logged with `sentence`.
 */
export function sweepRegularly(sweep: () => Promise<unknown>, log: Logger, sentence: string): () => void {
  const run = (): void => {
    sweep().catch((error: unknown) => log.warn({ error: describeProblem(error) }, sentence));
  };
  run();
  const timer = setInterval(run, sweepEveryMs).unref();
  return () => clearInterval(timer);
}
