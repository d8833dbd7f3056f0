import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { expectConformance } from '../../support/schemathesis.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

test('answers requests made from its OpenAPI document as the document says', async () => {
  const container = await stopAfterTest(TestContainer.start());
  await expectConformance(`${container.url}/openapi.json`);
  expect(container.process.messages()).not.toContain('A request failed because of a bug');
});
