import { expect, test } from 'vitest';
import { anybodyHere } from '../../../server/access/caller.ts';
import { FileNames } from '../../../server/files/file-names.ts';

const context = { caller: anybodyHere, folder: 'of-the-run' };

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

test('refuses an input that would exhaust the stack', async () => {
  const names = new FileNames();
  await expect(names.resolve({ tags: nested(100_000) }, context)).rejects.toMatchObject({ code: 'invalid_request' });
  const input = { tags: nested(50) };
  expect(await names.resolve(input, context)).toEqual(input);
});
