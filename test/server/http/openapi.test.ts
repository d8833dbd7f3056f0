import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { problems } from '../../../contract/server/problem.ts';
import { methodsOf, serverOpenApi } from '../../../server/http/openapi.ts';
import { sectionOf } from '../../support/documents.ts';
import { textOf } from '../../support/project-files.ts';

const page = textOf('docs/server.md');

test('produces valid OpenAPI 3.1', async () => {
  expect(await new Validator().validate(serverOpenApi('1.0.0'))).toMatchObject({ valid: true });
});

test('describes X-Request-Id for each operation and each answer', () => {
  const { paths } = serverOpenApi('1.0.0');
  for (const [path, { parameters, ...operations }] of Object.entries<Record<string, object>>(paths)) {
    expect(parameters, path).toContainEqual(expect.objectContaining({ name: 'X-Request-Id', in: 'header' }));
    for (const { responses } of Object.values(operations) as { responses: object }[]) {
      for (const answer of Object.values(responses)) expect(answer).toHaveProperty(['headers', 'X-Request-Id']);
    }
  }
});

test('describes which operations need no token', () => {
  const open = Object.entries<object>(serverOpenApi('').paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) => ('security' in operation ? [`${method} ${path}`] : [])),
  );
  expect(open).toEqual([
    'get /media/zip/{ticket}',
    'get /media/{place}',
    'get /media/in/{token}/{file}',
    'get /api/openapi.json',
    'get /ready',
  ]);
});

test('describes that a corrected transcript must name the version that was corrected', () => {
  const { put } = serverOpenApi('').paths['/api/runs/{id}/transcript'];
  expect(put.parameters).toContainEqual(expect.objectContaining({ name: 'If-Match', required: true }));
});

test('docs/server.md lists exactly the server’s operations', () => {
  const operations = Object.entries(serverOpenApi('').paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => (method === 'parameters' ? [] : [`${method.toUpperCase()} ${path}`])),
  );
  const rows = [...sectionOf(page, 'Endpoints').matchAll(/^\| `((?:GET|POST|PUT|HEAD|PATCH|DELETE) \/\S+)` +\|/gm)];
  expect(rows.map(([, operation = '']) => operation).toSorted()).toEqual(operations.toSorted());
});

test('docs/server.md lists exactly the server’s problems with their statuses', () => {
  const rows = [...sectionOf(page, 'Errors').matchAll(/^\| `([a-z_]+)` +\| (\d{3}) /gm)];
  const listed = Object.fromEntries(rows.map(([, code = '', status]) => [code, Number(status)]));
  expect(listed).toEqual(Object.fromEntries(Object.entries(problems).map(([code, { status }]) => [code, status])));
});

test.each([
  ['/api/runs', ['GET', 'HEAD', 'POST']],
  ['/api/runs/a%2Fb', ['GET', 'HEAD']],
  ['/api/runs/a/cancel', ['POST']],
  ['/api/openapiXjson', []],
  ['/api/uploads', ['POST']],
  ['/api/uploads/a', ['HEAD', 'PATCH', 'DELETE']],
  ['/api/uploads/s3', ['POST']],
  ['/api/uploads/s3/a', ['GET', 'HEAD', 'DELETE']],
  ['/media/holdfast/results/x/talk.mp3', ['GET', 'HEAD']],
  ['/media/in/token/main.m3u8', ['GET', 'HEAD']],
  ['/api/nothing', []],
])('%s allows the methods %j', (path, methods) => {
  expect(methodsOf(path)).toEqual(methods);
});
