import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, namedByVariable, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';

/** Path of a Chromium for tests of Temporal's Web UI, or undefined. */
export function findChromium() {
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
  return namedByVariable('CHROMIUM_PATH') ?? names.map(onPath).find(Boolean);
}

export async function installChromium() {
  if (canUseApt()) {
    await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', async () => {
      if (findChromium() === undefined)
        await aptInstall(['chromium'], 'Chromium, with which the tests look at the Web UI');
    });
  }
  const chromium = findChromium();
  if (chromium !== undefined) return chromium;
  throw new SetupError(
    'The tests look at the Web UI with Chromium, which is not on PATH. Install Chromium or Chrome, or name it in CHROMIUM_PATH, and run the command again.',
  );
}
