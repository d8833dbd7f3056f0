import { segmentsPerContainer, usualSegmentSeconds } from '../contract/spread-settings.ts';
import { segmentLength } from '../engine/spread/plan-spread.ts';
import { inUnit, report } from './report.ts';

/** What one film costs on the containers of a bench. Times are in seconds. */
export interface SpreadCosts {
  /** Time of one container for a second of film. */
  encode: number;
  /** Time of the step `plan` for a second of film. */
  plan: number;
  /** Time of the step `join` for a second of film. */
  join: number;
  /** Time between the steps, for any film. */
  gaps: number;
  /** Film that is encoded again for each segment. */
  overlap: number;
  /** Length of a segment in lengths of a segment of a film. */
  lengthFactor: number;
  /** Files of each segment. */
  files: number;
}

/** Speed-up of several containers over one, if all segments take the same time. */
function modelSpeedUp(costs: SpreadCosts, filmSeconds: number, containers: number): number {
  const { encode, plan, join, gaps, overlap, lengthFactor, files } = costs;
  const { least, most } = usualSegmentSeconds;
  const segmentSeconds = { least: least * lengthFactor, most: most * lengthFactor };
  const wanted = { segments: containers * segmentsPerContainer, segmentSeconds };
  const length = segmentLength(filmSeconds, files, wanted);
  const segments = Math.max(1, Math.round(filmSeconds / length));
  const turns = Math.ceil(segments / containers);
  const segmentsTime = turns * (filmSeconds / segments + overlap) * encode;
  return (encode * filmSeconds) / ((plan + join) * filmSeconds + segmentsTime + gaps);
}

/** Columns of the inputs with their units. Those of the design are called assumed. */
const inputColumns: Readonly<Record<keyof SpreadCosts, readonly [string, 's' | 'count']>> = {
  encode: ['encode of 1 s (measured)', 's'],
  plan: ['plan of 1 s (measured)', 's'],
  join: ['join of 1 s (measured)', 's'],
  gaps: ['gaps (measured)', 's'],
  overlap: ['overlap (assumed)', 's'],
  lengthFactor: ['length factor (assumed)', 'count'],
  files: ['files of a segment (assumed)', 'count'],
};

const modelSeconds = 7200;
const modelContainers = [8, 16, 32, 64];

/**
 * Reports the inputs of the model, and the speed-up for more containers than were measured: of a long film of the same
 * kind with "auto", over one container of the same size. All segments are assumed to take the same time, network and
 * store to be never full, and plan and join to grow with the film. The keys of `costs` say what was measured.
 */
export function reportModel(costs: ReadonlyMap<string, SpreadCosts>): void {
  for (const [what, cost] of costs) {
    const inputs = Object.entries(inputColumns).map(
      ([name, [column, unit]]) => [column, inUnit(unit, cost[name as keyof SpreadCosts])] as const,
    );
    const speedUps = modelContainers.map(
      (count) => [`${count} containers`, inUnit('ratio', modelSpeedUp(cost, modelSeconds, count))] as const,
    );
    report('spread-model', what, Object.fromEntries([...inputs, ...speedUps]));
  }
}
