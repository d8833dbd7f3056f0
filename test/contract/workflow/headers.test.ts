import { expect, test } from 'vitest';
import { WorkflowHeaders } from '../../../contract/workflow/headers.ts';
import { inputSchemas } from '../../../contract/workflow/inputs.ts';

test.each([
  { authorization: { env: 'HEADER_CDN_TOKEN' } },
  { 'Content-Type': 'audio/mpeg', 'x-amz-meta-title': 'A', 'x-ms-blob-type': 'BlockBlob' },
  { 'content-type': { env: 'HEADER_TYPE' } },
])('a workflow takes the headers %j', (headers) => {
  expect(WorkflowHeaders.parse(headers)).toEqual(headers);
});

test.each<[unknown, string]>([
  [{ Authorization: 'Bearer s3cr3t' }, 'may hold a secret in authorization'],
  [{ Cookie: 's3cr3t' }, 'may hold a secret in cookie'],
  [{ 'X-Api-Key': 's3cr3t' }, 'may hold a secret in x-api-key'],
  [{ 'x-amz-server-side-encryption-customer-key': 's3cr3t' }, 'may hold a secret'],
  [{ 'x-amz-security-token': 's3cr3t' }, 'may hold a secret'],
  [{ authorization: { env: 'AWS_SECRET_ACCESS_KEY' } }, 'HEADER_'],
  [{ authorization: { env: 'HEADER_A', prefix: 'Bearer ' } }, 'prefix'],
  [{ host: { env: 'HEADER_A' } }, 'may not set host'],
])('a workflow refuses the headers %j and does not repeat a value', (headers, words) => {
  const { error } = WorkflowHeaders.safeParse(headers);
  expect(JSON.stringify(error?.issues)).toContain(words);
  expect(JSON.stringify(error?.issues)).not.toContain('s3cr3t');
});

const headers = { authorization: { env: 'HEADER_A' } };
const source = { sourceUrl: 'https://s.test/a', headers };

test('each workflow takes headers for its source, and for URLs that it is given', () => {
  const output = { format: 'flac', uploadUrl: 'https://s.test/b', headers };
  const chunk = { index: 0, uploadUrl: 'https://s.test/b', headers };
  expect(inputSchemas.encode.safeParse({ ...source, outputs: [output] }).error).toBeUndefined();
  expect(inputSchemas.chunking.safeParse({ ...source, chunks: [chunk] }).error).toBeUndefined();
  expect(inputSchemas.processing.safeParse({ ...source, uploadUrlPrefix: 'file:///o/' }).error).toBeUndefined();
});

test('an s3: URL takes none: the worker signs it, and without them', () => {
  const { error } = inputSchemas.processing.safeParse({
    ...source,
    sourceUrl: 's3://bucket/a',
    uploadUrlPrefix: 'file:///o/',
  });
  expect(error?.issues).toMatchObject([{ path: ['headers'], message: 'are only for http: and https: URLs' }]);
});
