import { spawn } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withFolderAside } from './folder-aside.mjs';
import { keepProgram } from './go-install.mjs';
import { say } from './step.mjs';

/** A silent mirror must not hold up a set-up that has other ways; a slow one may take its time. */
const silenceLimitMs = 30_000;

const ephemeralServer = fileURLToPath(new URL('ephemeral-server.mjs', import.meta.url));

/**
 * Has the Temporal SDK download a server ('dev-server' or 'time-skipping') of this version and keeps it as `program`;
 * no digest is compared. Returns false on failure, because there is another way. `HOLDFAST_SDK_DOWNLOAD=0` skips the
 * download.
 */
export async function sdkDownload(node, kind, version, program) {
  if (process.env.HOLDFAST_SDK_DOWNLOAD === '0') return false;
  try {
    return await withFolderAside('download-', async (aside) => {
      say(`Downloading ${kind === 'dev-server' ? 'the Temporal CLI' : "Temporal's test server"} …`);
      const code = await runUntilSilent(node, [ephemeralServer, kind, version, aside], aside);
      const file = code === 0 ? largestFile(aside) : undefined;
      if (file === undefined) {
        say('  not to be had by download here.');
        return false;
      }
      // The test server has no --version, and it ran a moment ago.
      keepProgram(file, program);
      return true;
    });
  } catch {
    return false;
  }
}

function runUntilSilent(command, args, folder) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore' });
    let bytes = 0;
    let lastGrowthAt = Date.now();
    const timer = setInterval(() => {
      const now = sizes(folder).reduce((sum, { size }) => sum + size, 0);
      if (now > bytes) [bytes, lastGrowthAt] = [now, Date.now()];
      if (Date.now() - lastGrowthAt > silenceLimitMs) child.kill('SIGKILL');
    }, 500);
    const end = (code) => {
      clearInterval(timer);
      resolve(code);
    };
    child.once('error', () => end(1));
    child.once('exit', (code) => end(code ?? 1));
    process.once('exit', () => child.kill('SIGKILL'));
  });
}

function sizes(folder) {
  return readdirSync(folder).flatMap((name) => {
    const stats = statSync(join(folder, name), { throwIfNoEntry: false });
    return stats?.isFile() ? [{ path: join(folder, name), size: stats.size }] : [];
  });
}

/** The SDK's file name depends on its version; the folder has only one file. */
function largestFile(folder) {
  return sizes(folder).sort((a, b) => b.size - a.size)[0]?.path;
}
