import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { countLate, countUndelivered } from '../../../server/webhooks/count-messages.ts';

/** The time that the condition of a query names, in hours before now. */
async function hoursOf(count: (client: Client, taskQueue: string) => Promise<number>, field: string) {
  let asked = '';
  const client = {
    workflow: {
      count: async (query: string) => {
        asked = query;
        return { count: 7 };
      },
    },
    withDeadline: async (_: number, ask: () => unknown) => await ask(),
  };
  expect(await count(client as unknown as Client, 'holdfast')).toBe(7);
  const time = new RegExp(`${field} '([^']+)'`).exec(asked)?.[1] ?? '';
  return (Date.now() - Date.parse(time)) / 3_600_000;
}

test('a message is late an hour after its event, which is after its fourth try', async () => {
  expect(await hoursOf(countLate, 'StartTime <')).toBeCloseTo(1, 1);
});

test('undelivered messages are counted for a day', async () => {
  expect(await hoursOf(countUndelivered, 'CloseTime >')).toBeCloseTo(24, 1);
});
