import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflows, writeWorkflowBundle } from '../../worker/workflow-bundle.ts';

/** Bundles the workflows of `test/fixtures/workflows/<name>.ts` into `folder`. */
export async function bundleFixture(name: string, folder: string): Promise<{ codePath: string }> {
  const codePath = join(folder, `${name}.js`);
  const workflowsPath = fileURLToPath(new URL(`../fixtures/workflows/${name}.ts`, import.meta.url));
  await writeWorkflowBundle(codePath, await bundleWorkflows(workflowsPath));
  return { codePath };
}
