import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withLock } from './lock.mjs';
import { projectRoot } from './places.mjs';
import { step } from './step.mjs';

const sources = join(projectRoot, 'page');
/** The page uses this client for the server, and the rules and tables of the contract. */
const parts = [sources, ...['api-client', 'contract'].map((folder) => join(projectRoot, folder))];
const built = join(sources, 'dist');
/** Other processes may write or delete builds at any time, as `npm pack` of the client does. */
const isBuild = (name) => /^dist(?:\.\d+)?$/.test(name);
const stampFile = join(built, '.stamp');

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
  const files = parts.flatMap(filesIn);
  for (const file of files.sort()) hash.update(`\0${relative(projectRoot, file)}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

/** @returns {string[]} */
function filesIn(folder) {
  const entries = readdirSync(folder, { withFileTypes: true }).filter(({ name }) => !isBuild(name));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesIn(path) : entry.isFile() ? [path] : [];
  });
}
