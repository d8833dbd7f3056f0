import { bundleWorkflows, variantOf, writeWorkflowBundle } from './workflow-bundle.ts';

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error(
    'Usage: node worker/bundle.ts <file>\nWrites the workflow bundle that WORKFLOW_BUNDLE then names, and beside it the one of workers that encrypt.',
  );
  process.exit(2);
}
for (const isEncrypting of [false, true]) {
  const codePath = variantOf(target, { isEncrypting });
  await writeWorkflowBundle(codePath, await bundleWorkflows(undefined, { isEncrypting }));
  console.log(`Wrote ${codePath}`);
}
