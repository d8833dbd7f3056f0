import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock.mjs';
import { projectRoot } from './places.mjs';
import { step } from './step.mjs';

const sources = join(projectRoot, 'page');
/** The page uses this client for the server. */
const client = join(projectRoot, 'api-client');
const built = join(sources, 'dist');
const stampFile = join(built, '.stamp');
const wholeTree = { recursive: true, withFileTypes: true };

/** Builds the page unless it was built from the same files by the same tools. */
export async function ensurePage(node) {
  const wanted = wantedStamp();
  if (isStamped(wanted)) return;
  await withLock(join(projectRoot, '.holdfast', 'page.lock'), 'the page', async () => {
    if (isStamped(wanted)) return;
    const aside = `${built}.${process.pid}`;
    const vite = join(projectRoot, 'node_modules', 'vite', 'bin', 'vite.js');
    try {
      await step({
        title: 'Building the page',
        expected: 'some seconds',
        command: node,
        args: [vite, 'build', sources, '--outDir', aside, '--emptyOutDir', '--logLevel', 'warn'],
        // Tests and shells may set another value, which would make the page larger.
        environment: { ...process.env, NODE_ENV: 'production' },
        folder: projectRoot,
        remedy: 'Run `npm run build:page` to see it again.',
      });
      writeFileSync(join(aside, '.stamp'), wanted);
      rmSync(built, { recursive: true, force: true });
      renameSync(aside, built);
    } finally {
      rmSync(aside, { recursive: true, force: true });
    }
  });
}

function isStamped(wanted) {
  try {
    return readFileSync(stampFile, 'utf8') === wanted;
  } catch {
    return false;
  }
}

function wantedStamp() {
  const hash = createHash('sha256').update(readFileSync(join(projectRoot, 'package-lock.json')));
  for (const file of [sources, client].flatMap(sourcesIn).sort())
    hash.update(`\0${relative(projectRoot, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** Files outside of `dist`, which other processes may write or delete at any time, as `npm pack` of the client does. */
function sourcesIn(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'dist' && !name.startsWith('dist.'))
    .flatMap((entry) => (entry.isDirectory() ? readdirSync(join(folder, entry.name), wholeTree) : [entry]))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
