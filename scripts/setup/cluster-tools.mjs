import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { aptInstall, canUseApt } from './apt.mjs';
import { cachedProgram, goInstall } from './go-install.mjs';
import { withLock } from './lock.mjs';
import { cacheFolder, isExecutableFile, onPath } from './places.mjs';
import { SetupError } from './setup-error.mjs';

/** Version that the development server contains. */
const version = 'v1.29.1';
const serverModule = 'go.temporal.io/server';
const debianFolder = '/usr/lib/postgresql';

/** Makes the missing programs for `npm run check:cluster` and returns their paths. */
export async function ensureClusterTools() {
  const postgresFolder = findPostgres() ?? (await installPostgres());
  return {
    postgresFolder,
    temporalServer: await ensureProgram({
      name: 'temporal-server',
      builtName: 'server',
      module: `${serverModule}/cmd/server`,
      title: 'Building the Temporal server with Go',
      expected: 'about 7 minutes, once on this machine',
    }),
    sqlTool: await ensureProgram({
      name: 'temporal-sql-tool',
      builtName: 'sql',
      module: `${serverModule}/cmd/tools/sql`,
      title: "Building the tool for Temporal's database with Go",
    }),
  };
}

async function ensureProgram(program) {
  const cached = cachedProgram(program.name, version);
  if (isExecutableFile(cached)) return cached;
  return await goInstall({
    ...program,
    version,
    remedy: 'Install Go, so that it is on PATH, and run the command again.',
  });
}

/** Folder with `initdb` and `postgres`, which Debian keeps off PATH. */
function findPostgres() {
  const initdb = onPath('initdb');
  const versions = existsSync(debianFolder) ? readdirSync(debianFolder).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((name) => join(debianFolder, name, 'bin')), ...(initdb ? [join(initdb, '..')] : [])];
  return folders.find((folder) => ['initdb', 'postgres'].every((name) => isExecutableFile(join(folder, name))));
}

async function installPostgres() {
  if (canUseApt()) {
    await withLock(join(cacheFolder(), 'apt.lock'), 'apt-get', async () => {
      if (findPostgres() === undefined) await aptInstall(['postgresql'], 'PostgreSQL');
    });
  }
  const folder = findPostgres();
  if (folder !== undefined) return folder;
  throw new SetupError('PostgreSQL is not installed. Install it so that initdb is on PATH, and run the command again.');
}
