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

/** Everything that workflow code may import at run time; the architecture test enforces it. */
const sourceFolders = [workflowsFolder, path.join(projectFolder, 'contract'), path.dirname(failureConverterPath)];

/** Packages whose versions determine the npm part of a bundle. */
const bundledPackages = [
  '@temporalio/worker',
  '@temporalio/interceptors-opentelemetry-v2',
  '@opentelemetry/sdk-trace-base',
];

/**
 * The failure converter and interceptors are part of a bundle, so workers that encrypt or trace need their own variant.
 */
interface BundleVariant {
  isEncrypting: boolean;
  isTraced: boolean;
}

const plain: BundleVariant = { isEncrypting: false, isTraced: false };

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
    workflowInterceptorModules: [
      path.join(workflowsFolder, 'tracing/request-id.ts'),
      ...(isTraced ? [path.join(workflowsFolder, 'tracing/interceptors.ts')] : []),
    ],
    logger: new DefaultLogger('WARN'),
  });
  return code;
}

/** Returns a cached bundle while its sources are unchanged, because bundling takes seconds. */
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

/** Bundle that WORKFLOW_BUNDLE names. Only the variant in use must exist. */
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

/** Keeps all variants of the current bundle: another worker that is starting may be about to read one. */
async function removeOtherBundles(hash: string): Promise<void> {
  const others = (await readdir(cacheFolder)).filter((name) => !name.startsWith(hash));
  await Promise.all(others.map((name) => rm(path.join(cacheFolder, name), { force: true })));
}

/** Writes the whole file or nothing, because another worker may be starting too. */
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
