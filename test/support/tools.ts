import { fileURLToPath } from 'node:url';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** Programs of `scripts/setup/tools.mjs`, by their variables. */
type Tool =
  | 'TEMPORAL_CLI_PATH'
  | 'TEMPORAL_TEST_SERVER_PATH'
  | 'RCLONE_PATH'
  | 'TOXIPROXY_PATH'
  | 'VERSITYGW_PATH'
  | 'AZURITE_PATH'
  | 'FAKE_GCS_PATH'
  | 'CHROMIUM_PATH'
  | 'MUTAGEN_PYTHON'
  | 'SCHEMATHESIS_PYTHON'
  | 'TEMPORAL_PYTHON'
  | 'SPEECH_PYTHON'
  | 'TRANSCRIBER_PYTHON'
  | 'VMAF_FFMPEG_PATH'
  | 'PROMTOOL_PATH'
  | 'KUSTOMIZE_PATH'
  | 'ACTIONLINT_PATH'
  | 'SFTP_SERVER_PATH';

const toolScript = fileURLToPath(new URL('../../scripts/setup/tool.mjs', import.meta.url));

/**
 * Path of a program, which set-up may still have to build. Call it at module level, which has no time limit, and not in a
 * hook or a test.
 */
export async function toolPath(variable: Tool): Promise<string> {
  const known = process.env[variable];
  if (known !== undefined && known !== '') return known;
  const child = spawn(process.execPath, [toolScript, variable], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  if (code !== 0) throw new Error(`${variable} cannot be had: the set-up above says why.`);
  // Commands of tests inherit the variable.
  process.env[variable] = output.trim();
  return output.trim();
}
