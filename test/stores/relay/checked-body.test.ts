import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { checkedBody } from '../../../stores/relay/checked-body.ts';

async function* body(): AsyncGenerator<Buffer> {
  for (const text of ['one', 'two', 'three']) yield Buffer.from(text);
}

const whole = { size: 'onetwothree'.length, md5: undefined };

test('passes a whole body on if its run is open at its end', async () => {
  expect(String(await buffer(checkedBody(body(), { ...whole, isWanted: async () => true })))).toBe('onetwothree');
});

test('withholds the last bytes of a body whose run has ended meanwhile', async () => {
  const passed: string[] = [];
  const passing = async (): Promise<void> => {
    const parts = checkedBody(body(), { ...whole, isWanted: async () => passed.length < 2 });
    for await (const part of parts) passed.push(Buffer.from(part).toString());
  };
  await expect(passing()).rejects.toMatchObject({ message: 'The run ended before its upload did', passing: false });
  expect(passed).toEqual(['one', 'two']);
});
