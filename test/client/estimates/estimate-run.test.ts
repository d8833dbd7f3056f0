import { describe, expect, test } from 'vitest';
import { estimateRun, type PastUse } from '../../../client/estimates/estimate-run.ts';

const free = { currency: 'EUR', perCpuHour: undefined, perGbIn: undefined, perGbOut: undefined };

/** A run with 2 s before its first second of media, and a tenth of a second for each. */
function pastRun(mediaSeconds: number, changes: Partial<PastUse> = {}): PastUse {
  const seconds = 2 + mediaSeconds / 10;
  return {
    ...{ sourceSeconds: mediaSeconds, mediaSeconds, bytesIn: mediaSeconds * 1000 },
    ...{ seconds, cpuSeconds: 2 * seconds, sizes: [mediaSeconds * 500, mediaSeconds * 50] },
    ...changes,
  };
}

function wanted(mediaSeconds: number, bytes: number | undefined = mediaSeconds * 1000) {
  return { sourceSeconds: mediaSeconds, mediaSeconds, bytes };
}

describe('the estimate of a run', () => {
  test('estimates nothing without a past run', () => {
    expect(estimateRun(wanted(60), [], free)).toEqual({ runs: 0 });
  });

  test('estimates nothing for an output that begins after the end of the source', () => {
    expect(estimateRun(wanted(0), [pastRun(60)], free)).toEqual({ runs: 0 });
  });

  test('scales the only past run by its length', () => {
    const estimate = estimateRun(wanted(30), [pastRun(60)], free);
    expect(estimate).toEqual({ runs: 1, seconds: 4, cpuSeconds: 8, sizes: [15_000, 1500] });
  });

  test('separates the fixed part of a run from the part for each second of media', () => {
    const estimate = estimateRun(wanted(100), [pastRun(10), pastRun(40), pastRun(160)], free);
    expect(estimate).toMatchObject({ runs: 3, seconds: 12, cpuSeconds: 24, sizes: [50_000, 5000] });
  });

  test('one slow run hardly moves the estimate', () => {
    const slow = pastRun(80, { seconds: 1000 });
    const estimate = estimateRun(wanted(60), [pastRun(20), pastRun(40), slow, pastRun(120), pastRun(240)], free);
    expect(estimate.seconds).toBeCloseTo(8, 0);
  });

  test('does not extrapolate the difference between two short runs to a long one', () => {
    const short = [pastRun(10, { seconds: 3.1 }), pastRun(20, { seconds: 3 })];
    expect(estimateRun(wanted(3600), short, free).seconds).toBeGreaterThan(500);
  });

  test('extrapolates far beyond runs that differ much in length', () => {
    const estimate = estimateRun(wanted(3600), [pastRun(10), pastRun(40), pastRun(160)], free);
    expect(estimate.seconds).toBeCloseTo(362, 0);
  });

  test('expects the same time up to the longest run if longer sources took no more time', () => {
    const flat = [pastRun(10, { seconds: 3.1 }), pastRun(100, { seconds: 3 })];
    expect(estimateRun(wanted(50), flat, free).seconds).toBeCloseTo(3, 0);
    expect(estimateRun(wanted(200), flat, free).seconds).toBeCloseTo(6, 0);
  });

  test('uses the nine runs that are most like the wanted one in length and in bytes per second', () => {
    const detailed = Array.from({ length: 9 }, (_, index) =>
      pastRun(50 + index, { bytesIn: (50 + index) * 9000, sizes: [(50 + index) * 4000, 0] }),
    );
    const plain = Array.from({ length: 20 }, (_, index) => pastRun(50 + index));
    const past = [...plain, ...detailed];
    expect(estimateRun(wanted(53, 53 * 9000), past, free)).toMatchObject({ runs: 9, sizes: [212_000, 0] });
    expect(estimateRun(wanted(53), past, free)).toMatchObject({ runs: 9, sizes: [26_500, 2650] });
  });

  test('omits the processor time if a run has none', () => {
    const estimate = estimateRun(wanted(60), [pastRun(60), pastRun(60, { cpuSeconds: undefined })], free);
    expect(estimate).not.toHaveProperty('cpuSeconds');
  });
});

describe('the cost', () => {
  const prices = { ...free, perCpuHour: 3600, perGbOut: 1e9 };

  test('prices the expected processor time and sizes', () => {
    const estimate = estimateRun(wanted(60), [pastRun(60)], prices);
    expect(estimate).toMatchObject({ cost: 16 + 30_000 + 3000, currency: 'EUR' });
  });

  test('omits the cost if bytes read have a price and the size of the source is not known', () => {
    const estimate = estimateRun({ ...wanted(60), bytes: undefined }, [pastRun(60)], { ...prices, perGbIn: 1 });
    expect(estimate).not.toHaveProperty('cost');
  });
});
