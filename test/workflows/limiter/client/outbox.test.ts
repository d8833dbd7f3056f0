import { expect, test } from 'vitest';
import { Outbox, type OutboxContent } from '../../../../workflows/limiter/client/outbox.ts';

/** Waits for turns of the microtask queue. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

/** An outbox whose messages arrive when the test calls `arrive`. */
function outboxWithSlowArrivals() {
  const messages: string[][] = [];
  let arrive = () => {};
  const outbox = new Outbox(async ({ requests }) => {
    messages.push(requests);
    await new Promise<void>((resolve) => (arrive = resolve));
  });
  return {
    outbox,
    messages,
    request(requestId: string) {
      outbox.addRequest(requestId);
      void outbox.flush();
    },
    arrive: () => arrive(),
  };
}

test('sends additions of one turn in one message, and additions during sending in the next', async () => {
  const { messages, request, arrive } = outboxWithSlowArrivals();
  request('a');
  request('b');
  await turns(5);
  request('c');
  request('d');
  await turns(5);
  expect(messages).toEqual([['a', 'b']]);
  arrive();
  await turns(5);
  expect(messages).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

// In a workflow, a message may arrive in the same activation as the next addition, some turns apart.
test.each(Array.from({ length: 12 }, (_, turn) => turn))(
  'sends an addition made %i turns after the last message arrived',
  async (count) => {
    const { messages, request, arrive } = outboxWithSlowArrivals();
    request('a');
    await turns(5);
    arrive();
    await turns(count);
    request('b');
    await turns(5);
    expect(messages).toEqual([['a'], ['b']]);
  },
);

test('an outbox is idle once its last message has arrived', async () => {
  const { outbox, request, arrive } = outboxWithSlowArrivals();
  expect(outbox.isIdle).toBe(true);
  request('a');
  expect(outbox.isIdle).toBe(false);
  await turns(5);
  expect(outbox.isIdle).toBe(false);
  arrive();
  await turns(5);
  expect(outbox.isIdle).toBe(true);
});

test('sends later messages after one that could not be sent', async () => {
  const sent: string[][] = [];
  const outbox = new Outbox(async ({ requests }) => {
    if (requests.includes('a')) throw new Error('no such workflow');
    sent.push(requests);
  });
  outbox.addRequest('a');
  await expect(outbox.flush()).rejects.toThrow('no such workflow');
  outbox.addRequest('b');
  await outbox.flush();
  expect(sent).toEqual([['b']]);
});

test('resends the reports of an undelivered message before newer ones', async () => {
  const first = { permitId: 'p-1', outcome: { kind: 'ok' } } as const;
  const second = { permitId: 'p-2', outcome: { kind: 'ok' } } as const;
  const sent: OutboxContent[] = [];
  const outbox = new Outbox(async (content) => {
    sent.push(content);
  });
  outbox.addReport(second);
  outbox.restoreReports([first]);
  await outbox.flush();
  expect(sent).toEqual([{ requests: [], withdrawals: [], reports: [first, second] }]);
});
