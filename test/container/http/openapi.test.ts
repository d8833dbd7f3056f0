import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { endpoints } from '../../../container/http/endpoints.ts';
import { parseIdempotencyKey } from '../../../container/http/idempotency.ts';
import { openApiDocument } from '../../../container/http/openapi.ts';
import { statusByErrorCode } from '../../../contract/error-codes.ts';

const document = openApiDocument('1.2.3');

test('publishes valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors).toBeUndefined();
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('describes each endpoint except the root and the document itself', () => {
  const paths = document.paths as Record<string, Record<string, unknown>>;
  const named = Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations)
      .filter((key) => key !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path.replace('{id}', ':id')}`),
  );
  const left = new Set(['GET /', 'GET /openapi.json']);
  expect(named.toSorted()).toEqual(endpoints.filter((endpoint) => !left.has(endpoint)).toSorted());
});

test('lists every status of the table for an encode', () => {
  const statuses = Object.keys(document.paths['/encode'].post.responses).map(Number);
  const expected = new Set([200, 202, ...Object.values(statusByErrorCode)]);
  expect(new Set(statuses)).toEqual(expected);
});

test('describes keys of requests as the service checks them', () => {
  const { parameters } = document.paths['/encode'].post;
  const { schema } = parameters.find(({ name }) => name === 'Idempotency-Key') ?? {};
  expect(schema).toMatchObject({ minLength: 1, maxLength: 255 });
  expect(parseIdempotencyKey('k'.repeat(255))).toBeDefined();
  expect(() => parseIdempotencyKey('k'.repeat(256))).toThrow('1 to 255');
});

test('describes requests as the service checks them', () => {
  const { EncodeRequest } = document.components.schemas;
  expect(EncodeRequest).toMatchObject({
    type: 'object',
    required: ['sourceUrl', 'outputs'],
    additionalProperties: false,
    properties: { outputs: { type: 'array', minItems: 1, maxItems: 8 } },
  });
  // Fields with defaults are optional.
  expect(document.components.schemas['ChunkRequest']).toMatchObject({ required: ['sourceUrl', 'chunks'] });
});
