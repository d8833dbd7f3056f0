import { holder, SimulatedLimiter, wideLimits } from '../test/support/simulated-limiter.ts';
import { packState } from '../workflows/limiter/packed-state.ts';
import { median } from './median.ts';
import { percentile } from './percentile.ts';
import { inUnit, report } from './report.ts';

const runCounts = [100, 1_000, 5_000, 20_000];
/** Permits that a run of 100 chunks requests at once. */
const requests = Array.from({ length: 20 }, (_, chunk) => `${chunk}.1`);

/**
 * Measures the limiter's own work without Temporal: many runs wait under a throttle. Reports the state with which it
 * continues as new (the limit is 2,048 KiB), the refused runs, and the time for the messages of the last runs.
 */
export function measureState(): void {
  for (const runs of runCounts) {
    const limiter = new SimulatedLimiter({ limits: wideLimits({ maxConcurrent: 5, requestsPerHour: 10_000 }) });
    limiter.rateLimiter.overrideThrottle(86_400, 'bench', limiter.nowMs);
    const tookMs: number[] = [];
    let refused = 0;
    for (let run = 0; run < runs; run += 1) {
      const name = `0199${String(run).padStart(8, '0')}-7a3c-7d11-9c5e-2f6b8a0d`;
      const startMs = performance.now();
      limiter.send(holder(name), { requests });
      tookMs.push(performance.now() - startMs);
      if (limiter.updateTo(name)?.refused !== undefined) refused += 1;
    }
    const last = tookMs.slice(-100);
    const bytes = Buffer.byteLength(JSON.stringify(packState(limiter.rateLimiter.state())));
    report('limiter-state', `${runs} runs`, {
      queued: inUnit('count', runs - refused),
      refused: inUnit('count', refused),
      state: inUnit('KiB', bytes / 1024),
      'a message, median': inUnit('µs', 1000 * median(last)),
      '99th percentile': inUnit('µs', 1000 * percentile(last, 0.99)),
    });
  }
}
