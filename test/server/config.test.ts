import { expect, test } from 'vitest';
import { SettingError } from '../../process/settings.ts';
import { readConfig } from '../../server/config.ts';

test.each([
  ['SERVER_PORT', 'eighty'],
  ['SERVER_PUBLIC_URL', 'media'],
  ['SERVER_TOKENS_FILE', '/nowhere/at/all.json'],
  ['SERVER_LINK_KEY', 'short'],
  ['SERVER_REQUESTS_PER_MINUTE', '0'],
  ['OIDC_ISSUER', 'provider'],
  ['OIDC_ISSUER', 'http://provider.test'],
  ['OIDC_CLIENT_ID', 'alone'],
  ['OIDC_DEFAULT_SCOPES', 'read,write'],
  ['MEDIA_ROOT', 'media'],
  ['MEDIA_ROOT', '/nowhere/at/all'],
  ['UPLOAD_MAX_BYTES', '0'],
  ['S3_UPLOAD_PREFIX', 's3://media'],
  ['S3_UPLOAD_PREFIX', 'sftp://files.test/uploads/'],
  ['S3_LINK_PREFIXES', 's3://media/,films'],
  ['PRESETS_FILE', '/nowhere/at/all.json'],
  ['PAYLOAD_KEY', 'short'],
])('%s=%s stops the server with a sentence that names the variable', (name, value) => {
  const read = () => readConfig({ TEMPORAL_CONFIG_FILE: '/nowhere', [name]: value });
  expect(read).toThrow(SettingError);
  expect(read).toThrow(name);
});
