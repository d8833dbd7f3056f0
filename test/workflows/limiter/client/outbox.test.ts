import { expect, test } from 'vitest';
import { Outbox } from '../../../../workflows/limiter/client/outbox.ts';

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await Promise.resolve();
}

/** A courier whose letters arrive when the test says so. */
function office() {
  let outbox: string[] = [];
  const letters: string[][] = [];
  let arrive = () => {};
  const courier = new Outbox(
    () => outbox.length > 0,
    async () => {
      letters.push(outbox);
      outbox = [];
      await new Promise<void>((resolve) => (arrive = resolve));
    },
  );
  return {
    letters,
    post(item: string) {
      outbox.push(item);
      void courier.run();
    },
    arrive: () => arrive(),
  };
}

test('what comes up in one turn is one letter, and what comes up while that is under way goes with the next one', async () => {
  const { letters, post, arrive } = office();
  post('a');
  post('b');
  await turns(5);
  post('c');
  post('d');
  await turns(5);
  expect(letters).toEqual([['a', 'b']]);
  arrive();
  await turns(5);
  expect(letters).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
});

// In a workflow the arrival of a letter and the next thing to tell may be of the same activation, some turns apart.
test.each(Array.from({ length: 12 }, (_, turn) => turn))(
  'nothing is left lying that comes up %i turns after the last letter has arrived',
  async (count) => {
    const { letters, post, arrive } = office();
    post('a');
    await turns(5);
    arrive();
    await turns(count);
    post('b');
    await turns(5);
    expect(letters).toEqual([['a'], ['b']]);
  },
);

test('a letter that cannot be delivered stops none after it', async () => {
  const outbox = ['a', 'b'];
  const delivered: string[] = [];
  const courier = new Outbox(
    () => outbox.length > 0,
    async () => {
      const item = outbox.shift();
      if (item === 'a') throw new Error('no such address');
      delivered.push(item ?? '');
    },
  );
  await expect(courier.run()).rejects.toThrow('no such address');
  await courier.run();
  expect(delivered).toEqual(['b']);
});
