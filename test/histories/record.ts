import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { registerSearchAttributes } from '../../client/search-attributes.ts';
import { TimeSkipping } from '../support/time-skipping.ts';
import { recordContainerRuns } from './container-runs.ts';
import { recordProviderRuns } from './provider-runs.ts';
import { Recorder } from './recorder.ts';

// `npm run record-histories`: the histories that test/workflows/replay.test.ts replays, recorded anew by this version.

const recorder = new Recorder();
const folder = await mkdtemp(join(tmpdir(), 'holdfast-histories-'));
const time = await TimeSkipping.start();
try {
  await registerAttributes();
  await recordContainerRuns(time, recorder);
  await time.restart();
  await time.stopSkipping();
  await registerAttributes();
  await recordProviderRuns(time, recorder, folder);
  await recorder.removeOthers();
} finally {
  await time.stop();
  await rm(folder, { recursive: true, force: true });
}

/** What each run sets, as `npm start` and `npm run setup-server` have it. */
async function registerAttributes(): Promise<void> {
  await registerSearchAttributes(time.environment.connection, 'default');
}
