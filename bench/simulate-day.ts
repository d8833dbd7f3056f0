/**
 * Compares three ways of scaling over one day: a thousand runs with a peak in the morning (bench/day/workload.ts) on
 * Kubernetes pods. The bench prints waits and costs. `npm run simulate:day -- [runs] [seed]`; without arguments it
 * redraws the picture of docs/scaling.md.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { scaling } from './day/autoscaler.ts';
import { policies } from './day/policies.ts';
import { type DayResult, simulateDay } from './day/simulate.ts';
import { daySeconds, makeDay } from './day/workload.ts';
import { drawChart, type ChartStrip } from './line-chart.ts';
import { percentile } from './percentile.ts';

const [count = 1_000, seed = 1] = process.argv.slice(2).map(Number);
if (!Number.isInteger(count) || count < 1 || !Number.isInteger(seed)) {
  console.error('Usage: npm run simulate:day -- [runs] [seed]');
  process.exit(2);
}
const picture = join(import.meta.dirname, '../docs/scaling-day.svg');

const runs = makeDay(count, seed);
const workHours = runs.reduce((sum, { workSeconds }) => sum + workSeconds, 0) / 3_600;
console.log(`${count} runs (seed ${seed}) with ${workHours.toFixed(1)} hours of work`);

function minutes(seconds: number): string {
  return `${(seconds / 60).toFixed(1)} min`;
}

const strips: ChartStrip[] = [];
for (const policy of policies) {
  const result = simulateDay(runs, policy, seed);
  const { waitSeconds, podSeconds, busySeconds, busyScaleIns, busyScaleInSeconds, mostPods } = result;
  const waits = [0.5, 0.95, 1].map((share) => minutes(percentile(waitSeconds, share)));
  console.log(
    `${policy.name}: waits ${waits.join(', ')} (median, 95th percentile, longest); ${(podSeconds / 3_600).toFixed(0)} pod-hours, ` +
      `${((100 * busySeconds) / podSeconds).toFixed(0)} % of them busy; ${mostPods} pods at most; ` +
      `${busyScaleIns} scaled in while busy, ${minutes(busyScaleInSeconds)} into their jobs`,
  );
  strips.push(...stripsOf(policy.name, result));
}

function stripsOf(name: string, { course }: DayResult): ChartStrip[] {
  const points = (value: 'pods' | 'busy' | 'waiting') => course.map((state) => [state.at, state[value]] as const);
  return [
    {
      title: `Pods: ${name}`,
      top: scaling.mostPods,
      lines: [
        { name: 'busy', color: '#2a7', isArea: true, points: points('busy') },
        { name: 'all', color: '#157', points: points('pods') },
      ],
    },
    {
      title: 'Runs that wait',
      top: 100,
      lines: [{ name: 'waiting', color: '#c40', isArea: true, points: points('waiting') }],
    },
  ];
}

if (process.argv.length === 2) {
  const ticks = Array.from({ length: 9 }, (_, index) => [index * 3 * 3_600, `${index * 3}:00`] as const);
  await writeFile(picture, drawChart(strips, { title: `A day with ${count} runs`, from: 0, to: daySeconds, ticks }));
  console.log(`drawn: ${picture}`);
}
