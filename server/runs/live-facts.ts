import type { RunRecord } from '../../client/run-record.ts';
import type { Line } from '../queue/line.ts';
import type { LiveStatuses } from './live-statuses.ts';
import type { RunFailures } from './run-failures.ts';

export interface LiveSources {
  statuses: LiveStatuses;
  failures: RunFailures;
  line: Line;
}

/** Reads what workers, the queue and histories report about the runs, within these times. */
export async function readLiveFacts(
  records: readonly RunRecord[],
  { statuses, failures, line }: LiveSources,
  { statusMs, reasonsMs }: { statusMs: number; reasonsMs: number },
) {
  const [live, reasons, places] = await Promise.all([
    statuses.read(records, statusMs),
    failures.within(records, reasonsMs),
    records.some(mayStandInLine) ? line.places(statusMs) : undefined,
  ]);
  return ({ runId }: RunRecord) => ({
    status: live.get(runId),
    place: places?.get(runId),
    failure: reasons.get(runId),
  });
}

/** A run that was just started has no state yet. */
function mayStandInLine({ ending, state }: RunRecord): boolean {
  return ending === undefined && (state === undefined || state === 'queued');
}
