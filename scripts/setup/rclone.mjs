import { cachedProgram, goInstall } from './go-install.mjs';
import { isExecutableFile, namedByVariable, onPath } from './places.mjs';
import { runQuietly } from './step.mjs';

const version = 'v1.71.2';
/** Version 1.65 introduced `serve s3`. */
const firstUsable = [1, 65];

/** Path of rclone, the S3 server of the tests, or undefined. */
export async function findRclone() {
  const named = namedByVariable('RCLONE_PATH');
  if (named !== undefined) return named;
  const installed = onPath('rclone');
  if (installed !== undefined && (await isUsable(installed))) return installed;
  const program = cachedProgram('rclone', version);
  return isExecutableFile(program) ? program : undefined;
}

export async function buildRclone() {
  return await goInstall({
    name: 'rclone',
    module: 'github.com/rclone/rclone',
    version,
    title: 'Building rclone, the S3 server of the tests, with Go',
    expected: 'about 2 minutes, once on this machine',
    remedy: 'Install rclone 1.65 or newer so that it is on PATH, or name it in RCLONE_PATH, and run the command again.',
  });
}

async function isUsable(path) {
  const { code, output } = await runQuietly(path, ['version']);
  const [, major, minor] = /^rclone v(\d+)\.(\d+)/.exec(output) ?? [];
  if (code !== 0 || major === undefined) return false;
  return Number(major) > firstUsable[0] || (Number(major) === firstUsable[0] && Number(minor) >= firstUsable[1]);
}
