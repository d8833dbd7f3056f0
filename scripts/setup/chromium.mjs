import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, namedByVariable, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';

const find = () => ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'].map(onPath).find(Boolean);

/** The path of a Chromium, with which the tests look at Temporal's Web UI. */
export async function ensureChromium() {
  const installed = namedByVariable('CHROMIUM_PATH') ?? find();
  if (installed !== undefined) return installed;
  if (canUseApt()) {
    await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', async () => {
      if (find() === undefined) await aptInstall(['chromium'], 'Chromium, with which the tests look at the Web UI');
    });
  }
  const chromium = find();
  if (chromium !== undefined) return chromium;
  throw new SetupError(
    'The tests look at the Web UI with Chromium, which is not on PATH. Install Chromium or Chrome, or name it in CHROMIUM_PATH, and run the command again.',
  );
}
