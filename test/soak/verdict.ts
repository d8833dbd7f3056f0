/** Values over the time of a soak. */
export type Course = readonly (readonly [atSeconds: number, value: number])[];

export interface Trend {
  /** Rise over the whole time by a straight line. */
  rise: number;
  riseError: number;
  mean: number;
}

/** Straight line through the second half; the first half is warm-up. */
export function trendOf(course: Course): Trend {
  const points = course.slice(Math.floor(course.length / 2));
  const count = points.length;
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / count;
  const [xs, ys] = [points.map(([at]) => at), points.map(([, value]) => value)];
  const [meanX, meanY] = [mean(xs), mean(ys)];
  const spread = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  if (count < 3 || spread === 0) return { rise: 0, riseError: Infinity, mean: meanY };
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  const residue = points.reduce((sum, [x, y]) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  const length = (xs.at(-1) ?? 0) - (xs[0] ?? 0);
  return { rise: slope * length, riseError: Math.sqrt(residue / (count - 2) / spread) * length, mean: meanY };
}

const samplesTogether = 5;

/** Lowest of each few samples: the amount held while little happens. */
function lowestOf(course: Course): Course {
  const blocks = Array.from({ length: Math.floor(course.length / samplesTogether) }, (_, index) =>
    course.slice(index * samplesTogether, (index + 1) * samplesTogether),
  );
  return blocks.map((block) => [block[0]?.[0] ?? 0, Math.min(...block.map(([, value]) => value))] as const);
}

/** Growth that is not chance (two standard errors) and not small: a tenth of the mean, and `least` or more. */
export function isGrowing(course: Course, least: number): boolean {
  const { rise, riseError, mean } = trendOf(lowestOf(course));
  return rise - 2 * riseError > 0 && rise > Math.max(least, mean / 10);
}
