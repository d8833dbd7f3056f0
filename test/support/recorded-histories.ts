import { readdir, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';

const { History } = temporal.api.history.v1;
type History = temporal.api.history.v1.History;

const folder = new URL('../histories/', import.meta.url);

export interface RecordedHistory {
  /** `0.2.0/encode-busy.bin.gz` */
  name: string;
  workflowId: string;
  history: History;
}

/** The histories that `npm run record-histories` has written for each version. */
export async function readRecordedHistories(): Promise<RecordedHistory[]> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.bin.gz'));
  return await Promise.all(
    files.toSorted().map(async (name) => {
      const history = History.decode(gunzipSync(await readFile(new URL(name, folder))));
      // The ids of child runs begin with the id of their parent. Temporal's test server does not record ids.
      const { workflowId } = history.events[0]?.workflowExecutionStartedEventAttributes ?? {};
      return { name, workflowId: workflowId || name, history };
    }),
  );
}
