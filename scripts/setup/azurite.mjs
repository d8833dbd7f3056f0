import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { environmentForNpm } from './npm-packages.mjs';
import { cacheFolder, namedByVariable, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

const version = '3.37.0';

function placeOf() {
  const folder = join(cacheFolder(), `azurite-${version}`);
  return { folder, program: join(folder, 'node_modules', '.bin', 'azurite-blob'), complete: join(folder, 'complete') };
}

/** Path of Azurite's blob service, the Azure server of the tests, or undefined. */
export function findAzurite() {
  const { program, complete } = placeOf();
  return namedByVariable('AZURITE_PATH') ?? onPath('azurite-blob') ?? (existsSync(complete) ? program : undefined);
}

/** Installs Azurite outside the clone: it has 450 packages, which only the tests use. */
export async function installAzurite() {
  const { folder, program, complete } = placeOf();
  const title = 'Installing Azurite, the Azure server of the tests, from npm';
  mkdirSync(cacheFolder(), { recursive: true });
  return await withLock(`${folder}.lock`, title, async () => {
    if (existsSync(complete)) return program;
    const remedy =
      'Install Azurite so that azurite-blob is on PATH, or name it in AZURITE_PATH, and run the command again.';
    if (onPath('npm') === undefined) throw new SetupError(`${title} needs npm, which is not on PATH. ${remedy}`);
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    await step({
      title,
      expected: 'about a minute, once on this machine',
      command: 'npm',
      args: ['install', '--prefix', folder, '--ignore-scripts', '--no-audit', '--no-fund', `azurite@${version}`],
      environment: environmentForNpm(),
      folder,
      remedy,
    });
    mkdirSync(complete);
    return program;
  });
}
