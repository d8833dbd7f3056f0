import { tmpdir } from 'node:os';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { readConfig } from '../../worker/config.ts';

test('a worker without settings uses the services of this machine', () => {
  expect(readConfig({ TEMPORAL_CONFIG_FILE: '/nowhere', CONTAINER_TOKEN: '' })).toMatchObject({
    containerUrls: ['http://127.0.0.1:8080'],
    containerToken: undefined,
    namespace: 'default',
    taskQueue: 'holdfast',
    signedSeconds: 43_200,
    workflowBundle: undefined,
  });
});

test('a setting replaces its default, cleaned of spaces and trailing slashes', () => {
  expect(
    readConfig({
      CONTAINER_URLS: 'http://a:8080/, https://b.test/base',
      CONTAINER_TOKEN: 'secret',
      TEMPORAL_ADDRESS: '10.0.0.1:7233',
      TEMPORAL_NAMESPACE: 'media',
      TEMPORAL_TASK_QUEUE: 'mine',
      PRESIGN_EXPIRES_SECONDS: '600',
      AWS_ENDPOINT_URL_S3: 'http://minio:9000',
    }),
  ).toMatchObject({
    containerUrls: ['http://a:8080', 'https://b.test/base'],
    containerToken: 'secret',
    connection: { address: '10.0.0.1:7233' },
    namespace: 'media',
    taskQueue: 'mine',
    signedSeconds: 600,
    stores: { AWS_ENDPOINT_URL_S3: 'http://minio:9000' },
  });
});

test.each([
  ['CONTAINER_URLS', 'localhost:8080'],
  ['CONTAINER_URLS', 'http://a,http://a/'],
  ['CONTAINER_URLS', ','],
  ['CONTAINER_URLS', 'http://a,http://ana:secret@b'],
  ['CONTAINER_ADVERTISED_URL', 'c.test'],
  ['CONTAINER_ADVERTISED_URL', 'http://ana@c.test'],
  ['POD_IP', 'here'],
  ['TEMPORAL_TASK_QUEUE', 'a b'],
  ['PRESIGN_EXPIRES_SECONDS', '4'],
  ['PRESIGN_EXPIRES_SECONDS', 'soon'],
  ['PRESIGN_EXPIRES_SECONDS', '604801'],
  ['PROVIDER_CALLS_PER_WORKER', '0'],
  ['PROVIDER_CALLS_PER_WORKER', 'many'],
  ['DEPLOYMENT_NAME', 'a.b'],
  ['BUILD_ID', 'a:b'],
  ['WORKER_ROLES', 'workflow'],
  ['WORKER_ROLES', ','],
  ['WORKER_DRAIN_SECONDS', '-1'],
  ['WORKER_DRAIN_SECONDS', 'long'],
  ['LOG_LEVEL', 'loud'],
  ['AWS_ENDPOINT_URL', 'minio'],
  ['AZURE_AUTHORITY_HOST', 'login'],
  ['AZURE_AUTHORITY_HOST', 'http://login.test'],
  ['AWS_ENDPOINT_URL_S3', 'localhost:9000'],
  ['STORAGE_EMULATOR_HOST', 'localhost:4443'],
  ['CONTAINER_TOKEN', 'tök'],
  ['MEDIA_ROOT', 'media'],
  ['MEDIA_ROOT', '/nowhere/at/all'],
  ['STORE_LOGINS_FILE', '/nowhere/at/all'],
  ['RELAY_URL', 'http://relay/base'],
  ['RELAY_URL', 'sftp://relay'],
  ['RELAY_PORT', '0'],
  ['RELAY_KEY', 'secret'],
])('%s=%s stops the worker with a sentence that names the variable and no password', (name, value) => {
  const read = () => readConfig({ [name]: value });
  expect(read).toThrow(new RegExp(`^${name} .+\\.$`));
  expect(read).not.toThrow('secret');
});

test('a relay needs its URL, and either a port or the key of the workers that relay', () => {
  const [RELAY_URL, RELAY_PORT, RELAY_KEY] = ['http://relay:8090/', '8090', 'k'.repeat(32)];
  const address = 'http://relay:8090';
  expect(readConfig({ RELAY_URL, RELAY_PORT }).relay).toEqual({ address, port: 8090, key: undefined });
  expect(readConfig({ RELAY_URL, RELAY_KEY }).relay).toEqual({ address, port: undefined, key: RELAY_KEY });
  expect(() => readConfig({ RELAY_URL })).toThrow(/^RELAY_URL needs RELAY_PORT .+\.$/);
  expect(() => readConfig({ RELAY_PORT })).toThrow(/^RELAY_URL is missing: .+\.$/);
});

test('refuses a setting that holds only spaces', () => {
  expect(() => readConfig({ WORKER_DRAIN_SECONDS: ' ' })).toThrow('WORKER_DRAIN_SECONDS is not valid');
});

test('a worker’s version needs both a deployment name and a build id', () => {
  const version = { deploymentName: 'holdfast', buildId: '1.2.3' };
  expect(readConfig({ DEPLOYMENT_NAME: 'holdfast', BUILD_ID: '1.2.3' }).deploymentVersion).toEqual(version);
  expect(readConfig({ DEPLOYMENT_NAME: '', BUILD_ID: '' }).deploymentVersion).toBeUndefined();
  expect(() => readConfig({ BUILD_ID: '1' })).toThrow(/^BUILD_ID is set without DEPLOYMENT_NAME\. .+\.$/);
  expect(() => readConfig({ DEPLOYMENT_NAME: 'a' })).toThrow(/^DEPLOYMENT_NAME is set without BUILD_ID\. .+\.$/);
});

test('keys of packages are variables that begin with PACKAGE_KEY_, and a bad one is named without its value', () => {
  const key = 'ab'.repeat(16);
  const { packageKeys } = readConfig({ PACKAGE_KEY_acme: key, PACKAGE_KEY_EMPTY: '', PACKAGE_KEYS: 'x' });
  expect([...packageKeys]).toEqual([['ACME', { value: key }]]);
  const bad = `${key}cd`;
  const read = () => readConfig({ PACKAGE_KEY_ACME: bad });
  expect(read).toThrow('PACKAGE_KEY_ACME must be a key of 32 hex digits; make one by: openssl rand -hex 16');
  expect(read).not.toThrow(bad);
});

test('headers may refer to variables that begin with HEADER_', () => {
  const { headerVariables } = readConfig({ HEADER_CDN: 'Bearer x', HEADER_EMPTY: '', AWS_SECRET_ACCESS_KEY: 'y' });
  expect([...headerVariables]).toEqual([['HEADER_CDN', { value: 'Bearer x' }]]);
  for (const value of ['Bearer x\n', '  ']) {
    const sentence = 'HEADER_CDN must be printable ASCII on one line, and not blank.';
    expect(() => readConfig({ HEADER_CDN: value })).toThrow(sentence);
  }
});

test('binds secrets to the origins and owners of the variables beside them', () => {
  const webhook = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
  const { headerVariables, packageKeys, webhooks } = readConfig({
    HEADER_A: 'x',
    HEADER_A_ORIGINS: 'https://a.test, HTTP://B.test:80/\thttps://c.test:8443',
    HEADER_A_OWNERS: 'anna, Bert B.,anna',
    HEADER_ORIGINS: 'of the name ORIGINS',
    PACKAGE_KEY_acme: 'ab'.repeat(16),
    package_key_acme: 'not ours',
    PACKAGE_KEY_ACME_owners: 'anna',
    WEBHOOK_SECRET_Acme: webhook,
    WEBHOOK_SECRET_ACME_ORIGINS: 'https://a.test',
    WEBHOOK_SECRET_OTHER_OWNERS: 'anna',
  });
  expect(headerVariables).toEqual(
    new Map([
      [
        'HEADER_A',
        {
          value: 'x',
          origins: new Set(['https://a.test', 'http://b.test', 'https://c.test:8443']),
          owners: new Set(['anna', 'Bert B.']),
        },
      ],
      ['HEADER_ORIGINS', { value: 'of the name ORIGINS' }],
    ]),
  );
  expect(packageKeys).toEqual(new Map([['ACME', { value: 'ab'.repeat(16), owners: new Set(['anna']) }]]));
  expect(webhooks.secrets).toEqual(new Map([['ACME', { value: [webhook], origins: new Set(['https://a.test']) }]]));
});

test.each([
  ['HEADER_A_ORIGINS', 'Bearer s3cr3t'],
  ['HEADER_A_ORIGINS', ','],
  ['HEADER_A_ORIGINS', '*'],
  ['HEADER_A_ORIGINS', 'a.test'],
  ['HEADER_A_ORIGINS', 'https://a.test/s3cr3t'],
  ['HEADER_A_ORIGINS', 'https://s3cr3t@a.test'],
  ['HEADER_A_ORIGINS', 's3://media'],
  ['HEADER_A_ORIGINS', 'https://a.test/?'],
  ['HEADER_A_OWNERS', 's3cr3t,,b'],
  ['HEADER_A_OWNERS', 's3cr3t\nb'],
  ['PACKAGE_KEY_A_ORIGINS', 'https://s3cr3t.test'],
  ['WEBHOOK_SECRET_A_ORIGINS', 'whsec_s3cr3t'],
])('refuses %s=%s without repeating the value', (name, value) => {
  const read = () => readConfig({ HEADER_A: 'x', [name]: value });
  expect(read).toThrow(new RegExp(`^${name} .+\\.$`));
  expect(read).not.toThrow('s3cr3t');
});

test('refuses two variables that name one secret', () => {
  const key = 'ab'.repeat(16);
  const read = () => readConfig({ PACKAGE_KEY_a: key, PACKAGE_KEY_A: key });
  expect(read).toThrow('PACKAGE_KEY_a and PACKAGE_KEY_A name the same secret.');
});

test('an advertised URL stands for exactly one container of this machine', () => {
  const advertised = { CONTAINER_ADVERTISED_URL: 'http://c.test:8080/' };
  expect(readConfig(advertised).advertisedAddress.url).toBe('http://c.test:8080');
  const both = { ...advertised, CONTAINER_URLS: 'http://127.0.0.1:8080,http://127.0.0.1:8081' };
  expect(() => readConfig(both)).toThrow(/^CONTAINER_ADVERTISED_URL .+\.$/);
});

test('segments in a folder must be below the folder from which the worker may remove files', () => {
  const folder = tmpdir();
  const store = `${pathToFileURL(folder).href}/segments/`;
  const settings = { SEGMENT_STORE_URL: store };
  expect(readConfig({ ...settings, MEDIA_ROOT: folder }).spread).toEqual({
    store,
    mostContainers: 16,
    leastSeconds: 300,
  });
  for (const root of [{}, { MEDIA_ROOT: '/usr' }]) {
    expect(() => readConfig({ ...settings, ...root })).toThrow(/^SEGMENT_STORE_URL must be below MEDIA_ROOT/);
  }
  expect(readConfig({ SEGMENT_STORE_URL: 's3://media/segments/' }).spread.store).toBe('s3://media/segments/');
});
