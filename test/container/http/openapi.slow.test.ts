import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { rowsExcept } from '../../support/rows.ts';
import { expectConformance } from '../../support/schemathesis.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

test.each(rowsExcept(['coverage'], ['fuzzing', 'coverage']))(
  'answers requests made from its OpenAPI document as the document says (%s)',
  { timeout: 660_000 },
  async (phase) => {
    const container = await stopAfterTest(TestContainer.start());
    await expectConformance(`${container.url}/openapi.json`, { args: ['--phases', phase] });
    expect(container.process.messages()).not.toContain('A request failed because of a bug');
  },
);
