import type { RunRecord } from '../../client/run-record.ts';
import { stateOfRun } from '../../client/run-state.ts';
import type { QueuePlace } from '../../contract/server/queue.ts';
import { definedFields } from '../../contract/defined-fields.ts';
import { readSegmentId, soundCopyId, soundId } from '../../contract/spread-settings.ts';
import type { RunView } from '../../contract/server/run.ts';
import type { RunState } from '../../contract/server/run-state.ts';
import type { WorkflowStatus } from '../../contract/workflow/status.ts';
import type { FileNames } from '../files/file-names.ts';

interface ReadFacts {
  /** The worker's answer for an active run. */
  status?: WorkflowStatus | undefined;
  /** The run's place in the queue. */
  place?: QueuePlace | undefined;
  failure?: RunView['failure'];
}

export function runView(record: RunRecord, { status, place, failure }: ReadFacts, names: FileNames): RunView {
  const { workflowId: id, runId, workflowType: workflow, owner, source, formats, startedAt, endedAt } = record;
  const live = record.ending === undefined ? status : undefined;
  const state = stateOfRun(record, live);
  const phase = live?.phase ?? record.phase;
  return {
    id,
    runId,
    workflow,
    state,
    ...(phase !== undefined && { phase }),
    ...(owner !== undefined && { owner }),
    ...(source !== undefined && { source: names.showUrl(source) }),
    ...(formats !== undefined && { formats }),
    startedAt: startedAt.toISOString(),
    ...(endedAt !== undefined && { endedAt: endedAt.toISOString() }),
    ...(live === undefined ? {} : { ...liveFacts(live), ...spreadFacts(live) }),
    ...waitFacts(record, state, live),
    ...(state === 'queued' && place !== undefined && { queue: place }),
    ...(failure !== undefined && { failure }),
  };
}

function liveFacts({ percent, attempt, etaSeconds, speed, video }: WorkflowStatus): Partial<RunView> {
  return { percent, attempt, ...definedFields({ etaSeconds, speed, video }) };
}

function spreadFacts({ spread, steps = [] }: WorkflowStatus): Pick<RunView, 'spread'> {
  if (spread === undefined) return {};
  const underWay = steps.flatMap(({ id, state, percent }) =>
    state === 'queued' || state === 'running' || state === 'waiting' ? [{ id, state, percent }] : [],
  );
  const jobs = underWay.flatMap(({ id, ...facts }) => {
    const job = readSegmentId(id);
    return job === undefined ? [] : [{ ...job, ...facts }];
  });
  const soundJobs = underWay.flatMap(({ id, ...facts }) =>
    id === soundId || id === soundCopyId ? [{ isCopy: id === soundCopyId, ...facts }] : [],
  );
  return { spread: { ...spread, jobs, soundJobs } };
}

function waitFacts({ waitUntil }: RunRecord, state: RunState, live: WorkflowStatus | undefined): Partial<RunView> {
  if (state !== 'waiting') return {};
  if (live?.waiting !== undefined) {
    const { reason, unreached, error, until } = live.waiting;
    return { waiting: { reason, ...definedFields({ unreached, error }), until } };
  }
  return waitUntil === undefined ? {} : { waiting: { until: waitUntil.toISOString() } };
}
