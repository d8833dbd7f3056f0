import { expect, test } from 'vitest';
import { Webhook } from '../../../contract/workflow/webhook.ts';

test.each(['https://user:password@example.com/hook', 'https://user@example.com/hook', 'http://:password@example.com'])(
  'a webhook %s, whose name and password would not be sent, is refused in words that repeat none of it',
  (url) => {
    const { error } = Webhook.safeParse({ url, secret: 'acme' });
    expect(error?.issues).toMatchObject([
      { path: ['url'], message: expect.stringMatching(/^may not carry a user name or password: \w+/) },
    ]);
    expect(error?.message).not.toContain('password@');
  },
);

test('a webhook may have an @ elsewhere', () => {
  expect(Webhook.safeParse({ url: 'https://example.com/@me?to=a@b', secret: 'acme' }).success).toBe(true);
});
