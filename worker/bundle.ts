import { bundleWorkflows, writeWorkflowBundle } from './workflow-bundle.ts';

const [target] = process.argv.slice(2);
if (target === undefined) {
  console.error('Usage: node worker/bundle.ts <file>\nWrites the workflow bundle that WORKFLOW_BUNDLE then names.');
  process.exit(2);
}
await writeWorkflowBundle(target, await bundleWorkflows());
console.log(`Wrote ${target}`);
