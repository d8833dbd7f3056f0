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
  /** Files of each segment. */
  files: number;
}

/** Speed-up of several containers over one, if all segments take the same time. */
function modelSpeedUp(costs: SpreadCosts, filmSeconds: number, containers: number): number {
  const { encode, plan, join, gaps, overlap, files } = costs;
  const wanted = { segments: containers * segmentsPerContainer, segmentSeconds: usualSegmentSeconds };
  const length = segmentLength(filmSeconds, files, wanted);
  const segments = Math.max(1, Math.round(filmSeconds / length));
  const turns = Math.ceil(segments / containers);
  const segmentsTime = turns * (filmSeconds / segments + overlap) * encode;
  return (encode * filmSeconds) / ((plan + join) * filmSeconds + segmentsTime + gaps);
}

const modelSeconds = 7200;
const modelContainers = [8, 16, 32, 64];

/**
 * Reports the inputs of the model, and the speed-up for more containers than were measured: of a long film of the same
 * kind with "auto", over one container of the same size. All segments are assumed to take the same time, network and
 * store to be never full, and plan and join to grow with the film.
 */
export function reportModel(costs: ReadonlyMap<string, SpreadCosts>): void {
  for (const [codec, cost] of costs) {
    const inputs = Object.entries(cost).map(([name, value]) => [name, inUnit('count', value)] as const);
    const speedUps = modelContainers.map(
      (count) => [`${count} containers`, inUnit('ratio', modelSpeedUp(cost, modelSeconds, count))] as const,
    );
    report('spread-model', `${codec}, ${modelSeconds} s`, Object.fromEntries([...inputs, ...speedUps]));
  }
}
