// Starts a server by the Temporal SDK's own download into a folder, and stops it: what remains is the program.
// Run by sdk-download.mjs in a process of its own, once the npm packages are there.
import { TestWorkflowEnvironment } from '@temporalio/testing';

const [kind, version, downloadDir] = process.argv.slice(2);
const server = { executable: { type: 'cached-download', version, downloadDir } };
const environment =
  kind === 'dev-server'
    ? await TestWorkflowEnvironment.createLocal({ server })
    : await TestWorkflowEnvironment.createTimeSkipping({ server });
await environment.teardown();
process.exit(0);
