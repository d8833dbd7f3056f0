import { join } from 'node:path';
import { cachedProgram, findGoProgram, goInstall } from './go-install.mjs';
import { cacheFolder, isExecutableFile } from './places.mjs';
import { sdkDownload } from './sdk-download.mjs';
import { withLock } from './lock.mjs';

const version = 'v1.5.1';

const program = () => cachedProgram('temporal', version);

/** Path of the Temporal CLI, which includes the dev server and its Web UI, or undefined. */
export function findTemporalCli() {
  return findGoProgram('TEMPORAL_CLI_PATH', 'temporal', version);
}

export async function fetchOrBuildTemporalCli(node) {
  const downloaded = await withLock(join(cacheFolder(), 'temporal.lock'), 'the Temporal CLI', async () =>
    isExecutableFile(program()) || (await sdkDownload(node, 'dev-server', version, program())) ? program() : undefined,
  );
  if (downloaded !== undefined) return downloaded;
  return await goInstall({
    name: 'temporal',
    module: 'github.com/temporalio/cli/cmd/temporal',
    version,
    title: 'Building the Temporal CLI with Go',
    expected: `about 3 minutes, once on this machine; it is kept in ${cacheFolder()}`,
    remedy:
      'Install the Temporal CLI (https://docs.temporal.io/cli) so that `temporal` is on PATH, or name it in TEMPORAL_CLI_PATH, ' +
      'or point TEMPORAL_ADDRESS at a Temporal server that runs elsewhere; then run the command again.',
  });
}
