import { readdir, readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { temporal } from '@temporalio/proto';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { test } from 'vitest';
import { ensureWorkflowBundle } from '../../worker/workflow-bundle.ts';

// Histories of runs of former versions, as the server had them. A run that is open during an upgrade goes on by the new code:
// where that would not have done the same at the same place, Temporal refuses to go on with the run for good.

const folder = new URL('../histories/', import.meta.url);
const names = (await readdir(folder)).filter((name) => name.endsWith('.bin.gz'));

Runtime.install({ logger: new DefaultLogger('ERROR') });

test.each(names)('the history %s of a former version is replayed by this one', async (name) => {
  const history = temporal.api.history.v1.History.decode(gunzipSync(await readFile(new URL(name, folder))));
  await Worker.runReplayHistory({ workflowBundle: await ensureWorkflowBundle() }, history);
});
