import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { failureConverterPath } from '../codec/data-converter.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const workflowsFolder = path.join(projectFolder, 'workflows');
const cacheFolder = path.join(projectFolder, '.holdfast', 'workflow-bundles');

/** Everything that workflow code may import at run time (the architecture test holds it to that). */
const sourceFolders = [workflowsFolder, path.join(projectFolder, 'contract'), path.dirname(failureConverterPath)];

/** How failures become payloads is part of a bundle: a worker that encrypts needs another one. */
interface BundleVariant {
  isEncrypting: boolean;
}

export async function bundleWorkflows(
  workflowsPath = path.join(workflowsFolder, 'index.ts'),
  { isEncrypting }: BundleVariant = { isEncrypting: false },
): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    ...(isEncrypting && { failureConverterPath }),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/** Bundling takes seconds, so a bundle is kept for as long as what it is made of stays the same. */
export async function ensureWorkflowBundle(
  variant: BundleVariant = { isEncrypting: false },
): Promise<{ codePath: string }> {
  const hash = await sourceHash();
  const codePath = variantOf(path.join(cacheFolder, `${hash}.js`), variant);
  if (!existsSync(codePath)) {
    const code = await bundleWorkflows(undefined, variant);
    await writeWorkflowBundle(codePath, code);
    await removeOtherBundles(hash);
  }
  return { codePath };
}

/** `workflows.js` → `workflows.encrypting.js` */
export function variantOf(codePath: string, { isEncrypting }: BundleVariant): string {
  return isEncrypting ? `${codePath.replace(/\.js$/, '')}.encrypting.js` : codePath;
}

/** Not the whole folder: another worker that starts at the same moment may be about to read this bundle. */
async function removeOtherBundles(hash: string): Promise<void> {
  const others = (await readdir(cacheFolder)).filter((name) => !name.startsWith(hash));
  await Promise.all(others.map((name) => rm(path.join(cacheFolder, name), { force: true })));
}

/** Written whole or not at all: another worker may be starting too. */
export async function writeWorkflowBundle(codePath: string, code: string): Promise<void> {
  await mkdir(path.dirname(codePath), { recursive: true });
  const temporary = `${codePath}.${randomUUID()}`;
  await writeFile(temporary, code);
  await rename(temporary, codePath);
}

async function sourceHash(): Promise<string> {
  const hash = createHash('sha256');
  const sdk = createRequire(import.meta.url).resolve('@temporalio/worker/package.json');
  hash.update(await readFile(sdk));
  for (const folder of sourceFolders) {
    const names = await readdir(folder, { recursive: true });
    for (const name of names.filter((name) => name.endsWith('.ts')).sort()) {
      hash.update(`\0${name}\0`);
      hash.update(await readFile(path.join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 32);
}
