import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';
import { isExecutableFile, projectRoot } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

const modules = join(projectRoot, 'node_modules');
const node = join(modules, '.bin', 'node');
const stampFile = join(modules, '.holdfast-setup');

/** Installs what package-lock.json says unless it is installed, and gives the path of the Node to run scripts with. */
export async function ensureNpmPackages() {
  if (isStamped()) return node;
  assertNodeVersion();
  await withLock(join(projectRoot, '.holdfast', 'setup.lock'), 'the npm packages', async () => {
    if (isStamped()) return;
    // Whoever ran `npm install` by hand need not wait for it again.
    if (!isInstalled()) await install();
    writeFileSync(stampFile, wantedStamp());
  });
  return node;
}

/** Under an older Node npm leaves out, without a word, optional packages that ask for a newer one: the binaries of vitest and oxlint. */
function assertNodeVersion() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) return;
  throw new SetupError(
    `This is Node ${process.versions.node}. Install Node 20.19 or newer (of 22, 22.12 or newer; not 21) with its npm, and run the command again.`,
  );
}

/** By the lock file alone: package.json changes without it (a script, a field) need no new install. */
function wantedStamp() {
  const lock = readFileSync(join(projectRoot, 'package-lock.json'));
  return `${createHash('sha256').update(lock).digest('hex')} ${process.platform}-${process.arch}\n`;
}

function isStamped() {
  try {
    return isExecutableFile(node) && readFileSync(stampFile, 'utf8') === wantedStamp();
  } catch {
    return false;
  }
}

/** npm writes node_modules/.package-lock.json last of all, so it tells what a finished install left. */
function isInstalled() {
  try {
    const wanted = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8')).packages;
    const present = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages;
    return (
      isExecutableFile(node) &&
      Object.entries(wanted).every(
        ([path, { version, optional }]) =>
          path === '' || present[path]?.version === version || (optional === true && present[path] === undefined),
      )
    );
  } catch {
    return false;
  }
}

async function install() {
  // The flags win over a user's `omit=dev` or `ignore-scripts`: the package `node` is a dev dependency, and its install script brings the binary.
  const args = ['ci', '--include=dev', '--include=optional', '--ignore-scripts=false', '--no-audit', '--no-fund'];
  const npmScript = process.env.npm_execpath;
  const [command, commandArguments] = npmScript?.endsWith('.js')
    ? [process.execPath, [npmScript, ...args]]
    : ['npm', args];
  await step({
    title: 'Installing the npm packages',
    expected: 'half a minute',
    command,
    args: commandArguments,
    environment: environmentForNpm(),
    folder: projectRoot,
    remedy: 'Run `npm ci --include=dev` in the project by hand to see more, and then the command again.',
  });
  if (!isExecutableFile(node)) {
    throw new SetupError(
      `The npm packages are installed, but ${node} is not there. Delete the folder node_modules and run the command again.`,
    );
  }
}

/** What `npm run` sets for its scripts would make an npm inside it install elsewhere or something else. */
function environmentForNpm() {
  const harmful =
    /^(?:NODE_ENV|npm_(?:package|lifecycle|command)_?.*|npm_config_(?:global|location|prefix|local_prefix|global_prefix|omit|include|only|also|production|dev|optional|ignore_scripts|dry_run|package_lock|package_lock_only|workspaces?|include_workspace_root|install_strategy|save.*))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !harmful.test(name)));
}
