import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFolderAside } from './folder-aside.mjs';
import { withLock } from './lock.mjs';
import { isExecutableFile, projectRoot } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { step } from './step.mjs';

const modules = join(projectRoot, 'node_modules');
const node = join(modules, '.bin', 'node');
const stampFile = join(modules, '.holdfast-setup');
/** npm for machines whose own version leaves packages out. */
const newerNpmVersion = '11.19.1';

/** Installs the packages of package-lock.json if necessary and returns the path of the Node for scripts. */
export async function ensureNpmPackages() {
  if (isStamped()) return node;
  assertNodeVersion();
  await withLock(join(projectRoot, '.holdfast', 'setup.lock'), 'the npm packages', async () => {
    if (isStamped()) return;
    // A manual `npm install` need not be repeated.
    if (!isInstalled()) await install();
    writeFileSync(stampFile, wantedStamp());
  });
  return node;
}

function assertNodeVersion() {
  if (Number(process.versions.node.split('.')[0]) >= 20) return;
  throw new SetupError(
    `This is Node ${process.versions.node}. Install Node 20 or newer with its npm, and run the command again.`,
  );
}

/** The stamp covers the lock file alone: changes to scripts or fields of package.json need no new install. */
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

function readPackages(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}

/** npm writes node_modules/.package-lock.json last, so it proves a finished install. */
function isInstalled() {
  try {
    const present = readPackages(join(modules, '.package-lock.json'));
    return (
      isExecutableFile(node) &&
      Object.entries(readPackages(join(projectRoot, 'package-lock.json'))).every(
        ([path, wanted]) =>
          path === '' || (present[path] === undefined ? isForOthers(wanted) : present[path].version === wanted.version),
      )
    );
  } catch {
    return false;
  }
}

/** Whether a package is optional and not the native part for this machine. */
function isForOthers({ optional, os, cpu, libc }) {
  const ownLibc = process.report.getReport().header.glibcVersionRuntime === undefined ? 'musl' : 'glibc';
  const isForHere =
    os?.includes(process.platform) === true &&
    cpu?.includes(process.arch) === true &&
    (libc === undefined || libc.includes(ownLibc));
  return optional === true && !isForHere;
}

async function install() {
  const npm = process.env.npm_execpath?.endsWith('.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  await installBy(npm, 'Installing the npm packages');
  if (!isInstalled()) await installByNewerNpm(npm);
  if (!isExecutableFile(node)) {
    throw new SetupError(
      `The npm packages are installed, but ${node} is not there. Delete the folder node_modules and run the command again.`,
    );
  }
}

/**
 * npm 9 misjudges the C library, and a Node before 20.19 is too old for some packages. Either silently leaves out the
 * native parts of swc, vitest and oxlint, which are optional packages.
 */
async function installByNewerNpm(npm) {
  const { version } = readPackages(join(projectRoot, 'package-lock.json'))['node_modules/node'];
  await withFolderAside('npm-', async (folder) => {
    await runNpm(npm, 'Getting a newer npm, since this one has left out native packages', [
      ...['install', '--prefix', folder, '--ignore-scripts=false', '--no-audit', '--no-fund'],
      ...[`npm@${newerNpmVersion}`, `node@${version}`],
    ]);
    const bin = join(folder, 'node_modules');
    await installBy([join(bin, '.bin/node'), join(bin, 'npm/bin/npm-cli.js')], 'Installing the npm packages again');
  });
}

async function installBy(npm, title) {
  // The flags override a user's `omit=dev` or `ignore-scripts`: the package `node` is a development dependency, and its
  // install script brings the binary (`allowScripts` in package.json satisfies npm 12).
  const flags = ['--include=dev', '--include=optional', '--ignore-scripts=false', '--no-audit', '--no-fund'];
  await runNpm(npm, title, ['ci', ...flags]);
}

async function runNpm([command, ...npmScript], title, args) {
  await step({
    title,
    expected: 'half a minute',
    command,
    args: [...npmScript, ...args],
    environment: environmentForNpm(),
    folder: projectRoot,
    remedy: 'Run `npm ci --include=dev` in the project by hand to see more, and then the command again.',
  });
}

/** Variables that `npm run` sets would make a nested npm install elsewhere or something else. */
export function environmentForNpm() {
  const harmful =
    /^(?:NODE_ENV|npm_(?:package|lifecycle|command)_?.*|npm_config_(?:global|location|prefix|local_prefix|global_prefix|omit|include|only|also|production|dev|optional|ignore_scripts|dry_run|package_lock|package_lock_only|workspaces?|include_workspace_root|install_strategy|save.*))$/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !harmful.test(name)));
}
