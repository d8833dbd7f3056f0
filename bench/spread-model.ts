import { segmentsPerContainer, usualSegmentSeconds } from '../contract/spread-settings.ts';
import { segmentLength } from '../engine/spread/plan-spread.ts';

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

/** Rows of a table in Markdown: the inputs of the model, and the speed-up for more containers than were measured. */
export function modelTable(costs: ReadonlyMap<string, SpreadCosts>): string[] {
  const rows = [...costs].map(([codec, cost]) => {
    const speedUps = modelContainers.map((containers) => modelSpeedUp(cost, modelSeconds, containers).toFixed(1));
    const { encode, plan, join, gaps, overlap } = cost;
    const inputs = [encode.toFixed(3), plan.toFixed(4), join.toFixed(4), gaps.toFixed(1), overlap.toFixed(1)];
    return `| ${[codec, ...inputs, ...speedUps].join(' | ')} |`;
  });
  const names = ['encode', 'plan', 'join', 'gaps', 'overlap', ...modelContainers.map((count) => `${count} containers`)];
  return [
    `Model of ${modelSeconds} s of such a film with "auto", as speed-up over one container of the same size.`,
    'Measured: seconds of encode, plan and join for a second of film, and of the gaps between the steps.',
    'Stated by engine/spread/run-lengths.ts: overlap, the seconds of film that are encoded again for each segment.',
    'Assumed: all segments take the same time; network and store are never full; plan and join grow with the film.',
    `| codec | ${names.join(' | ')} |`,
    `|${' --- |'.repeat(names.length + 1)}`,
    ...rows,
  ];
}
