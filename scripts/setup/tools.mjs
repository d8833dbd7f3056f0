import { findAzurite, installAzurite } from './azurite.mjs';
import { findChromium, installChromium } from './chromium.mjs';
import { goTools } from './go-tools.mjs';
import { fetchPromtool, findPromtool } from './promtool.mjs';
import { pythonTools } from './python-tools.mjs';
import { buildRclone, findRclone } from './rclone.mjs';
import { fetchOrBuildTemporalCli, findTemporalCli } from './temporal-cli.mjs';
import { fetchSftpServer, findSftpServer } from './sftp-server.mjs';
import { fetchTestServer, findTestServer } from './test-server.mjs';
import { findVmafFfmpeg, installVmafFfmpeg } from './vmaf-ffmpeg.mjs';

/**
 * Programs that the tests run besides ffmpeg. The key is the variable by which a person names a program and set-up
 * passes its path on. `find` is a look-up; `make` may build or install for minutes.
 */
const tools = {
  TEMPORAL_CLI_PATH: { find: findTemporalCli, make: fetchOrBuildTemporalCli },
  TEMPORAL_TEST_SERVER_PATH: { find: findTestServer, make: fetchTestServer },
  PROMTOOL_PATH: { find: findPromtool, make: fetchPromtool },
  RCLONE_PATH: { find: findRclone, make: buildRclone },
  SFTP_SERVER_PATH: { find: findSftpServer, make: fetchSftpServer },
  AZURITE_PATH: { find: findAzurite, make: installAzurite },
  CHROMIUM_PATH: { find: findChromium, make: installChromium },
  VMAF_FFMPEG_PATH: { find: findVmafFfmpeg, make: installVmafFfmpeg },
  ...goTools,
  ...pythonTools,
};

/** Makes the tool if it is missing. The Temporal SDK downloads with `node`, the one of the npm packages. */
export async function ensureTool(variable, node) {
  const { find, make } = tools[variable];
  return (await find()) ?? (await make(node));
}

/** Variables of the tools that exist, and of those that are missing. */
export async function findTestTools() {
  const environment = {};
  const missing = [];
  for (const [variable, { find }] of Object.entries(tools)) {
    const path = await find();
    if (path === undefined) missing.push(variable);
    else environment[variable] = path;
  }
  return { environment, missing };
}
