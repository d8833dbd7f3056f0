import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createProgressMeter } from '../../../container/jobs/progress.ts';
import { JobPhase, type JobKind } from '../../../contract/http/job.ts';

/** fast-check prints the seed of a failure; set the variable to repeat it. */
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 20_261_122);

test('keeps percent a number from 0 to 100 that never falls, and the time left a number or undefined', () => {
  const anyNumber = fc.option(fc.double(), { nil: undefined });
  const advance = fc.record({
    phase: fc.constantFrom(...JobPhase.options),
    fraction: anyNumber,
    speed: anyNumber,
    ms: fc.nat(100_000),
  });
  fc.assert(
    fc.property(fc.constantFrom<JobKind>('encode', 'chunk'), fc.array(advance), (kind, advances) => {
      let nowMs = 0;
      let before = 0;
      const meter = createProgressMeter(
        kind,
        () => {},
        () => nowMs,
      );
      for (const { phase, fraction, speed, ms } of advances) {
        nowMs += ms;
        meter.advance(phase, fraction, speed);
        const view = meter.view(false);
        // JSON turns NaN into null.
        expect(JSON.stringify(view)).not.toContain('null');
        expect(view.percent).toBeGreaterThanOrEqual(before);
        expect(view.percent).toBeLessThanOrEqual(100);
        expect(view.etaSeconds ?? 0).toBeGreaterThanOrEqual(0);
        before = view.percent;
      }
    }),
    { seed, numRuns: 500 },
  );
});

test('leaves percent at 0 for an empty source', () => {
  const meter = createProgressMeter('encode', () => {});
  meter.advance('download', 0 / 0);
  expect(meter.view(false)).toMatchObject({ percent: 0, phase: 'download' });
});

type PhaseSeconds = Partial<Record<JobPhase, number>>;

test.each<[JobKind, string, PhaseSeconds]>([
  ['encode', 'a fast network', { download: 1, probe: 0.2, encode: 120, verify: 1, upload: 3 }],
  ['encode', 'a slow origin', { download: 300, probe: 0.2, encode: 120, verify: 1, upload: 3 }],
  ['encode', 'an hour', { download: 20, probe: 1, encode: 3600, verify: 30, upload: 100 }],
  ['chunk', 'its usual shares', { download: 40, probe: 2, chunk: 18, verify: 10, upload: 30 }],
  ['chunk', 'a long file', { download: 400, probe: 20, chunk: 180, verify: 100, upload: 300 }],
])('estimates the time left of a steady %s job (%s) within 25 % after 20 %', (kind, _what, phases) => {
  let nowMs = 0;
  const meter = createProgressMeter(
    kind,
    () => {},
    () => nowMs,
  );
  const totalMs = Object.values(phases).reduce((sum, seconds) => sum + seconds * 1000, 0);
  let looked = 0;
  for (const [phase, seconds] of Object.entries(phases)) {
    const startMs = nowMs;
    const steps = Math.max(2, Math.ceil(seconds * 2));
    for (let step = 0; step <= steps; step += 1) {
      nowMs = startMs + (seconds * 1000 * step) / steps;
      meter.advance(phase as JobPhase, step / steps);
      const { percent, etaSeconds } = meter.view(false);
      if (percent < 20) continue;
      const leftSeconds = (totalMs - nowMs) / 1000;
      const at = `${phase} ${step}/${steps}: ${etaSeconds} for ${leftSeconds}`;
      // The estimate is in whole seconds.
      expect(Math.abs((etaSeconds ?? Infinity) - leftSeconds), at).toBeLessThanOrEqual(0.25 * leftSeconds + 0.5);
      looked += 1;
    }
  }
  expect(looked).toBeGreaterThan(20);
  expect(meter.view(true)).not.toHaveProperty('etaSeconds');
});

test('reports the progress of pictures only while they are encoded', () => {
  const meter = createProgressMeter('encode', () => {});
  const video = { frames: 100, fps: 25, size: 1000 };
  meter.advance('encode', 0.5, 1, video);
  expect(meter.view(false)).toMatchObject({ speed: 1, video });
  meter.advance('verify', 0);
  expect(meter.view(false)).not.toHaveProperty('video');
});
