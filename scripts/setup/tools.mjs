import { buildActionlint, findActionlint } from './actionlint.mjs';
import { findAzurite, installAzurite } from './azurite.mjs';
import { findChromium, installChromium } from './chromium.mjs';
import { buildFakeGcs, findFakeGcs } from './fake-gcs.mjs';
import { buildKustomize, findKustomize } from './kustomize.mjs';
import { findMutagen, installMutagen } from './mutagen.mjs';
import { fetchPromtool, findPromtool } from './promtool.mjs';
import { buildRclone, findRclone } from './rclone.mjs';
import { fetchOrBuildTemporalCli, findTemporalCli } from './temporal-cli.mjs';
import { findSchemathesis, installSchemathesis } from './schemathesis.mjs';
import { fetchSftpServer, findSftpServer } from './sftp-server.mjs';
import { fetchTestServer, findTestServer } from './test-server.mjs';
import { buildToxiproxy, findToxiproxy } from './toxiproxy.mjs';
import { findTemporalPython, installTemporalPython } from './temporal-python.mjs';
import { findSpeech, installSpeech } from './speech.mjs';
import { findTranscriber, installTranscriber } from './transcriber.mjs';
import { findVmafFfmpeg, installVmafFfmpeg } from './vmaf-ffmpeg.mjs';
import { buildVersitygw, findVersitygw } from './versitygw.mjs';

/**
 * Programs that the tests run besides ffmpeg. The key is the variable by which a person names a program and set-up
 * passes its path on. `find` is a look-up; `make` may build or install for minutes.
 */
const tools = {
  TEMPORAL_CLI_PATH: { find: findTemporalCli, make: fetchOrBuildTemporalCli },
  TEMPORAL_TEST_SERVER_PATH: { find: findTestServer, make: fetchTestServer },
  KUSTOMIZE_PATH: { find: findKustomize, make: buildKustomize },
  PROMTOOL_PATH: { find: findPromtool, make: fetchPromtool },
  RCLONE_PATH: { find: findRclone, make: buildRclone },
  TOXIPROXY_PATH: { find: findToxiproxy, make: buildToxiproxy },
  SFTP_SERVER_PATH: { find: findSftpServer, make: fetchSftpServer },
  VERSITYGW_PATH: { find: findVersitygw, make: buildVersitygw },
  ACTIONLINT_PATH: { find: findActionlint, make: buildActionlint },
  AZURITE_PATH: { find: findAzurite, make: installAzurite },
  FAKE_GCS_PATH: { find: findFakeGcs, make: buildFakeGcs },
  CHROMIUM_PATH: { find: findChromium, make: installChromium },
  VMAF_FFMPEG_PATH: { find: findVmafFfmpeg, make: installVmafFfmpeg },
  MUTAGEN_PYTHON: { find: findMutagen, make: installMutagen },
  SCHEMATHESIS_PYTHON: { find: findSchemathesis, make: installSchemathesis },
  SPEECH_PYTHON: { find: findSpeech, make: installSpeech },
  TRANSCRIBER_PYTHON: { find: findTranscriber, make: installTranscriber },
  TEMPORAL_PYTHON: { find: findTemporalPython, make: installTemporalPython },
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
