// Starts a server with the Temporal SDK's own download into a folder and stops it; the program remains.
// sdk-download.mjs runs it in a separate process after the npm packages are installed.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [kind, version, downloadDir] = process.argv.slice(2);
const server = { executable: { type: 'cached-download', version, downloadDir } };
const environment =
  kind === 'dev-server'
    ? await TestWorkflowEnvironment.createLocal({ server })
    : await TestWorkflowEnvironment.createTimeSkipping({ server });
await environment.teardown();
process.exit(0);
