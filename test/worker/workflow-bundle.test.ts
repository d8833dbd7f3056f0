import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { givenWorkflowBundle } from '../../worker/workflow-bundle.ts';

test('the variant in use must exist beside a prebuilt bundle', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  const traced = { isEncrypting: false, isTraced: true };
  await writeFile(join(folder, 'workflows.traced.js'), '');
  const path = join(folder, 'workflows.js');
  expect(givenWorkflowBundle(path, traced)).toEqual({ codePath: join(folder, 'workflows.traced.js') });
  expect(() => givenWorkflowBundle(path, { ...traced, isTraced: false })).toThrow(
    /^WORKFLOW_BUNDLE .*workflows\.js\.$/,
  );
  await rm(folder, { recursive: true });
});
