import { expect, test } from 'vitest';
import { TestContainer } from '../../support/container.ts';
import { expectConformance } from '../../support/schemathesis.ts';

test('answers requests made from its OpenAPI document as the document says', async () => {
  const container = await TestContainer.start();
  try {
    await expectConformance(`${container.url}/openapi.json`);
    expect(container.process.messages()).not.toContain('A request met a bug');
  } finally {
    await container.stop();
  }
});
