import { expect, test } from 'vitest';
import { testFolder } from '../../support/folder.ts';
import { expectConformance } from '../../support/schemathesis.ts';
import { TestServer } from '../../support/server.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';
import { startTemporal } from '../../support/temporal.ts';

/** A batch answers 200, and its body has the refusal of each invalid run. */
const batches = `
[[operations]]
include-path = "/api/runs:batch"
checks.negative_data_rejection.enabled = false
`;

test('answers requests made from its OpenAPI document as the document says', async () => {
  const temporal = await stopAfterTest(startTemporal());
  const settings = { TEMPORAL_ADDRESS: temporal.address, MEDIA_ROOT: testFolder() };
  const server = await stopAfterTest(TestServer.start(settings));
  // Streams have no end, and an inspection without a worker lasts a minute.
  // schemathesis writes no bodies of tus.
  const tus = ['--exclude-method', 'PATCH'];
  const endless = ['--exclude-path-regex', '/events$', '--exclude-path', '/api/inspect'];
  // Without S3_UPLOAD_PREFIX and some search attributes the answer is 501, which the document lists.
  const args = [...endless, ...tus, '--exclude-checks', 'positive_data_acceptance,not_a_server_error'];
  await expectConformance(`${server.url}/api/openapi.json`, { args, config: batches });
  expect(server.process.messages()).not.toContain('A request failed because of a bug');
});
