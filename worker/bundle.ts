import { bundleVariants, bundleWorkflows, variantOf, writeWorkflowBundle } from './workflow-bundle.ts';

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error(
    'Usage: node worker/bundle.ts <file>\nWrites the workflow bundle that WORKFLOW_BUNDLE then names, and beside it those of workers that encrypt or trace.',
  );
  process.exit(2);
}
for (const variant of bundleVariants) {
  const codePath = variantOf(target, variant);
  await writeWorkflowBundle(codePath, await bundleWorkflows(undefined, variant));
  console.log(`Wrote ${codePath}`);
}
