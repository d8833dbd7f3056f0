import { expect, test } from 'vitest';
import { parseLogins } from '../../../stores/logins/parse-logins.ts';

const hostKeys = [`SHA256:${'a'.repeat(43)}`];

test('reads logins by server, with or without the default port, in any spelling of the host', () => {
  const parsed = parseLogins(
    JSON.stringify({
      'sftp://NAS.example.com:22': { user: 'media', password: 'p', hostKeys },
      'sftp://nas.example.com:2222/': { user: 'media', privateKeyFile: '/key', passphrase: 'p' },
      'webdav+https://dav.example.com': { token: 't' },
      'webdav+http://dav.example.com:8080': { user: 'u', password: 'p' },
    }),
  );
  expect(parsed).toEqual({
    kind: 'logins',
    sftp: new Map<string, unknown>([
      ['sftp://nas.example.com', { user: 'media', password: 'p', hostKeys }],
      ['sftp://nas.example.com:2222', { user: 'media', privateKeyFile: '/key', passphrase: 'p', hostKeys: [] }],
    ]),
    webdav: new Map<string, unknown>([
      ['webdav+https://dav.example.com', { token: 't' }],
      ['webdav+http://dav.example.com:8080', { user: 'u', password: 'p' }],
    ]),
  });
});

test.each([
  ['no JSON', 'it is not a JSON object'],
  ['["secret"]', 'it is not a JSON object'],
  [
    '{"sftp://secret@nas": {}}',
    'a name is not a server such as sftp://nas.example.com or webdav+https://dav.example.com',
  ],
  ['{"s3://nas": {"token": "secret"}}', 'a name is not a server such as'],
  ['{"sftp://nas/talks": {}}', 'a name is not a server such as'],
  ['{"__proto__": {"user": "u", "password": "secret"}}', 'a name is not a server such as'],
  [
    '{"sftp://nas": {"user": "u", "password": "secret"}, "sftp://NAS:22": {"user": "v", "password": "secret"}}',
    'sftp://nas has two logins',
  ],
  ['{"sftp://nas": {"user": "secret"}}', 'sftp://nas must have either password or privateKeyFile'],
  [
    '{"sftp://nas": {"user": "u", "password": "secret", "hostKeys": ["secret"]}}',
    'sftp://nas hostKeys 0 must be SHA256:',
  ],
  ['{"sftp://nas": {"user": "u", "passwort": "secret"}}', 'sftp://nas has a field that no login has'],
  ['{"sftp://nas": {"user": 7, "password": "secret"}}', 'sftp://nas user has the wrong type'],
  ['{"webdav+https://d": {"user": "secret"}}', 'webdav+https://d must have either user and password, or token'],
  ['{"webdav+https://d": {"user": "secret:u", "password": "p"}}', 'webdav+https://d user must not have a colon'],
  [String.raw`{"webdav+https://d": {"token": "secret\n"}}`, 'webdav+https://d token must be printable ASCII'],
])('refuses %s without a value of it', (text, sentence) => {
  const parsed = parseLogins(text);
  expect(parsed).toEqual({ kind: 'bad', message: expect.stringContaining(sentence) });
  expect(JSON.stringify(parsed)).not.toContain('secret');
});
