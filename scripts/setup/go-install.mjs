import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { withFolderAside } from './folder-aside.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, namedByVariable, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';
import { runQuietly, step } from './step.mjs';

/** Path of a program of this name and version in the cache, whether or not it exists. */
export function cachedProgram(name, version) {
  return join(cacheFolder(), `${name}-${version}`, name);
}

/** Path of the program that this variable names, that is on PATH, or that is in the cache; undefined without any. */
export function findGoProgram(variable, name, version) {
  const cached = cachedProgram(name, version);
  return namedByVariable(variable) ?? onPath(name) ?? (isExecutableFile(cached) ? cached : undefined);
}

/**
 * Builds a Go program in a temporary folder and renames it into the cache, so that nobody runs half a file.
 * `asksVersion` are the arguments that prove that it runs. `pinnedBy` is the folder of a go.mod with its version, for
 * modules that need one.
 */
export async function goInstall({
  name,
  builtName = name,
  asksVersion = ['--version'],
  module,
  version,
  pinnedBy,
  title,
  expected,
  remedy,
}) {
  const program = cachedProgram(name, version);
  return await withLock(join(cacheFolder(), `${name}.lock`), title, async () => {
    if (isExecutableFile(program)) return program;
    if (onPath('go') === undefined)
      throw new SetupError(`${title} needs Go (1.21 or newer), which is not on PATH. ${remedy}`);
    await withFolderAside(`${name}-`, async (aside) => {
      const what = pinnedBy === undefined ? [`${module}@${version}`] : ['-mod=readonly', module];
      const args = ['install', '-ldflags=-s -w', ...what];
      const build = {
        title,
        expected,
        command: 'go',
        args,
        environment: environmentForGo(aside),
        folder: pinnedBy ?? aside,
        remedy,
      };
      // One build keeps all cores busy; two would slow each other down.
      await withLock(join(cacheFolder(), 'go.lock'), 'another build with Go', () => step(build));
      await assertRuns(join(aside, builtName), asksVersion);
      keepProgram(join(aside, builtName), program);
    });
    return program;
  });
}

export async function assertRuns(program, asksVersion = ['--version']) {
  const { code, output } = await runQuietly(program, asksVersion);
  if (code !== 0) throw new SetupError(`${program} was made but does not run: ${output.trim()}`);
}

/** Moves a finished program to its place in the cache. */
export function keepProgram(built, program) {
  mkdirSync(join(program, '..'), { recursive: true });
  renameSync(built, program);
}

function environmentForGo(goBin) {
  const environment = { ...process.env, GOBIN: goBin, GOWORK: 'off', CGO_ENABLED: '0' };
  // A cross-compiling shell would build for another machine, and GOBIN refuses that.
  for (const name of ['GOOS', 'GOARCH']) delete environment[name];
  return environment;
}
