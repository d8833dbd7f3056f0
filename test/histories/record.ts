import { TestWorkflowEnvironment } from '@temporalio/testing';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queuesInOrder, searchAttributeFlags } from '../../cli/stack/temporal-server.ts';
import { TimeSkipping } from '../support/time-skipping.ts';
import { toolPath } from '../support/tools.ts';
import { bundleFixture } from '../support/workflow-fixtures.ts';
import { captionedRun, containerRuns, recordContainerRuns, searchableContainerRuns } from './container-runs.ts';
import { recordProviderRuns } from './provider-runs.ts';
import { Recorder } from './recorder.ts';
import { copiedSpreadRuns, spreadRuns } from './spread-runs.ts';

// `npm run record-histories` records the histories that test/workflows/replay.test.ts replays with this version.

const recorder = new Recorder();
const folder = await mkdtemp(join(tmpdir(), 'holdfast-histories-'));
const captioned = captionedRun(await bundleFixture('transcribed', folder));
const time = await TimeSkipping.start();
try {
  await recordContainerRuns(time, recorder, [...containerRuns, ...spreadRuns]);
  await time.restart();
  await time.stopSkipping();
  await recordProviderRuns(time, recorder, folder);
  await recordContainerRuns(time, recorder, copiedSpreadRuns);
  await time.restart(startWholeServer);
  await recordContainerRuns(time, recorder, [...searchableContainerRuns, captioned]);
  await recorder.removeOthers();
} finally {
  await time.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Starts the server that users run, with search attributes and priorities. */
async function startWholeServer(): Promise<TestWorkflowEnvironment> {
  const executable = { type: 'existing-path', path: await toolPath('TEMPORAL_CLI_PATH') } as const;
  return await TestWorkflowEnvironment.createLocal({
    server: { executable, extraArgs: [...searchAttributeFlags, ...queuesInOrder] },
  });
}
