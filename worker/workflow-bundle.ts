import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { failureConverterPath } from '../codec/data-converter.ts';
import { SettingError } from '../process/settings.ts';

const projectFolder = fileURLToPath(new URL('..', import.meta.url));
const workflowsFolder = path.join(projectFolder, 'workflows');
const cacheFolder = path.join(projectFolder, '.holdfast', 'workflow-bundles');

/** Everything that workflow code may import at run time (the architecture test holds it to that). */
const sourceFolders = [workflowsFolder, path.join(projectFolder, 'contract'), path.dirname(failureConverterPath)];

/** Those whose version tells of all that a bundle has of npm. */
const bundledPackages = [
  '@temporalio/worker',
  '@temporalio/interceptors-opentelemetry-v2',
  '@opentelemetry/sdk-trace-base',
];

/** How failures become payloads is part of a bundle, and so are interceptors: workers that encrypt or trace need others. */
interface BundleVariant {
  isEncrypting: boolean;
  isTraced: boolean;
}

const plain: BundleVariant = { isEncrypting: false, isTraced: false };

/** All that workers may ask for. */
export const bundleVariants: readonly BundleVariant[] = [false, true].flatMap((isEncrypting) => [
  { isEncrypting, isTraced: false },
  { isEncrypting, isTraced: true },
]);

export async function bundleWorkflows(
  workflowsPath = path.join(workflowsFolder, 'index.ts'),
  { isEncrypting, isTraced }: BundleVariant = plain,
): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath,
    ...(isEncrypting && { failureConverterPath }),
    ...(isTraced && { workflowInterceptorModules: [path.join(workflowsFolder, 'tracing/interceptors.ts')] }),
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/** Bundling takes seconds, so a bundle is kept for as long as what it is made of stays the same. */
export async function ensureWorkflowBundle(variant: BundleVariant = plain): Promise<{ codePath: string }> {
  const hash = await sourceHash();
  const codePath = variantOf(path.join(cacheFolder, `${hash}.js`), variant);
  if (!existsSync(codePath)) {
    const code = await bundleWorkflows(undefined, variant);
    await writeWorkflowBundle(codePath, code);
    await removeOtherBundles(hash);
  }
  return { codePath };
}

/** One that WORKFLOW_BUNDLE names, of which there need not be other variants than the one that is used. */
export function givenWorkflowBundle(path: string, variant: BundleVariant): { codePath: string } {
  const codePath = variantOf(path, variant);
  if (!existsSync(codePath)) throw new SettingError(`WORKFLOW_BUNDLE is not valid: there is no file ${codePath}.`);
  return { codePath };
}

/** `workflows.js` → `workflows.encrypting.traced.js` */
export function variantOf(codePath: string, { isEncrypting, isTraced }: BundleVariant): string {
  const marks = [...(isEncrypting ? ['encrypting'] : []), ...(isTraced ? ['traced'] : [])];
  return marks.length === 0 ? codePath : `${[codePath.replace(/\.js$/, ''), ...marks].join('.')}.js`;
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
  const { resolve } = createRequire(import.meta.url);
  for (const name of bundledPackages) hash.update(await readFile(resolve(`${name}/package.json`)));
  for (const folder of sourceFolders) {
    const names = await readdir(folder, { recursive: true });
    for (const name of names.filter((name) => name.endsWith('.ts')).sort()) {
      hash.update(`\0${name}\0`);
      hash.update(await readFile(path.join(folder, name)));
    }
  }
  return hash.digest('hex').slice(0, 32);
}
