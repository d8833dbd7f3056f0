import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { bearer } from '../server/access/token-holders.ts';
import { useFolder } from '../support/folder.ts';
import { freePort } from '../support/ports.ts';
import { TestServer } from '../support/server.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const [anna, all] = ['anna-0123456789abcdef', 'all-0123456789abcdef'];
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const folder = useFolder();
const closed = `127.0.0.1:${await freePort()}`;
const receiver = await stopAfterAll(WebhookReceiver.start());
const stack = await stopAfterAll(
  TestStack.start({
    wayTo: async () => `http://${closed}`,
    workerEnvironment: {
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.1',
      WEBHOOK_SECRET_ANNA: secret,
      WEBHOOK_SECRET_ANNA_ORIGINS: new URL(receiver.url).origin,
      WEBHOOK_SECRET_ANNA_OWNERS: 'anna',
    },
  }),
);
const scopes = ['read', 'run'];
const tokens = join(folder, 'tokens.json');
await writeFile(
  tokens,
  JSON.stringify([
    { token: anna, scopes, owner: 'anna' },
    { token: all, scopes },
  ]),
);
const server = await stopAfterAll(
  TestServer.start({ TEMPORAL_ADDRESS: stack.temporal.address, SERVER_TOKENS_FILE: tokens }),
);

test('an owner learns that a container could not be reached, and only callers without an owner its address', async () => {
  const input = {
    sourceUrl: 'https://in.test/a',
    outputs: [{ format: 'flac', uploadUrl: 'https://out.test/a' }],
    retry: { maxRetryTime: 1 },
    webhook: { url: receiver.url, secret: 'anna' },
  };
  const started = await server.post('/api/runs', { workflow: 'encode', input }, bearer(anna));
  expect(started.status).toBe(201);
  const path = `/api/runs/${started.body.id}`;
  const { body: details } = await server.process.until('failed run', async () => {
    const answer = await server.get(path, bearer(anna));
    return answer.body.state === 'failed' && answer;
  });
  expect(details.failure).toMatchObject({
    type: 'RetryBudgetExhausted',
    message: expect.stringMatching(/Container disconnected$/),
  });
  expect(details.timeline).toContainEqual(expect.objectContaining({ kind: 'attempt', outcome: 'failed' }));
  const listed = await server.process.until('listed failure', async () => {
    const answer = await server.get('/api/runs?state=failed', bearer(anna));
    return answer.body.runs[0]?.failure !== undefined && answer;
  });
  await server.process.until('webhook', () => receiver.received.length > 0);
  const messages = receiver.verified(secret);
  expect(messages.at(-1)).toMatchObject({ type: 'run.failed', data: { error: expect.stringContaining('Gave up') } });
  const webhooks = await server.get(`${path}/webhooks`, bearer(anna));
  for (const told of [details, listed.body, messages, webhooks.body])
    expect(JSON.stringify(told)).not.toContain(closed);

  const { body: toOperator } = await server.get(path, bearer(all));
  expect(toOperator.failure.message).toMatch(new RegExp(`Container disconnected \\(http://${closed}\\)$`));
});
