import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { givenWorkflowBundle } from '../../worker/workflow-bundle.ts';

test('the variant in use must exist beside a prebuilt bundle', async () => {
  const folder = testFolder();
  const traced = { isEncrypting: false, isTraced: true };
  await writeFile(join(folder, 'workflows.traced.js'), '');
  const path = join(folder, 'workflows.js');
  expect(givenWorkflowBundle(path, traced)).toEqual({ codePath: join(folder, 'workflows.traced.js') });
  expect(() => givenWorkflowBundle(path, { ...traced, isTraced: false })).toThrow(
    /^WORKFLOW_BUNDLE .*workflows\.js\.$/,
  );
});
