import { expect, test } from 'vitest';
import { redactFields } from '../../worker/redact.ts';

test('task tokens are removed, and errors keep their causes', () => {
  const error = new Error('GET https://s3.test/a?sig=1 failed', { cause: new Error('at https://s3.test/b?sig=2') });
  const shown = redactFields({ taskToken: 'abc', url: 'https://s3.test/?x', attempt: 2, error });
  expect(shown).toMatchObject({
    url: 'https://s3.test/?…',
    attempt: 2,
    error: { message: 'GET https://s3.test/a?… failed' },
  });
  expect(JSON.stringify(shown)).not.toMatch(/sig=|abc/);
});
