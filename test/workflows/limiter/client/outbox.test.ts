import { expect, test } from 'vitest';
import { Outbox, type OutboxContent } from '../../../../workflows/limiter/client/outbox.ts';

/** Turns of the microtask queue. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

/** An outbox whose messages arrive when the test says so. */
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

test('what is added in one turn is one message, and what is added while that is under way is the next', async () => {
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

// In a workflow the arrival of a message and the next addition may be of the same activation, some turns apart.
test.each(Array.from({ length: 12 }, (_, turn) => turn))(
  'what is added %i turns after the last message has arrived is sent',
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

test('it is idle from the arrival of its last message on', async () => {
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

test('a message that cannot be sent stops none after it', async () => {
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

test('reports of a message that did not arrive are sent again, before later ones', async () => {
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
