import { expect, test } from 'vitest';
import { z } from 'zod';
import { EncodeRequest } from '../../contract/http/encode.ts';
import { ChunkRequest } from '../../contract/http/chunk.ts';
import { withOwnPresets } from '../../contract/presets-file.ts';
import { ProvidersFile } from '../../contract/provider.ts';
import { recordOf } from '../../contract/record.ts';
import { NewRunRequest } from '../../contract/server/run.ts';

const sourceUrl = 'https://media.test/a.wav';
const uploadUrl = 'https://store.test/b.mp3';

test.each<[string, z.ZodType, string]>([
  ['tags', EncodeRequest, `{"sourceUrl":"${sourceUrl}","outputs":[{"format":"mp3_64","metadata":{"__proto__":"x"}}]}`],
  [
    'source headers',
    EncodeRequest,
    `{"sourceUrl":"${sourceUrl}","headers":{"__proto__":"x"},"outputs":[{"format":"mp3_64","uploadUrl":"${uploadUrl}"}]}`,
  ],
  [
    'upload headers',
    ChunkRequest,
    `{"sourceUrl":"${sourceUrl}","chunks":[{"index":0,"uploadUrl":"${uploadUrl}","headers":{"__proto__":"x"}}]}`,
  ],
  [
    'notes of a chunk list',
    ChunkRequest,
    `{"sourceUrl":"${sourceUrl}","chunks":[{"index":0,"uploadUrl":"${uploadUrl}"}],"list":{"uploadUrl":"https://store.test/list","about":{"__proto__":{}}}}`,
  ],
  ['a run', NewRunRequest, '{"workflow":"encode","input":{"__proto__":{}}}'],
  ['providers', ProvidersFile, '{"__proto__":{}}'],
])('refuses __proto__ as a name among %s', (_what, schema, json) => {
  expect(schema.safeParse(JSON.parse(json)).error?.issues).toMatchObject([
    { path: expect.arrayContaining(['__proto__']), message: 'is a name that may not be used' },
  ]);
  const renamed = json.replace('__proto__', 'constructor');
  expect(JSON.stringify(schema.safeParse(JSON.parse(renamed)).error?.issues ?? '')).not.toContain('may not be used');
});

test('refuses a preset of the name __proto__', () => {
  expect(() => withOwnPresets('/etc/presets.json', () => '{"__proto__":{"container":"mp3"}}')).toThrow(
    '/etc/presets.json has a preset that is not valid: __proto__: is a name that may not be used',
  );
});

test('parses and describes other records as zod does', () => {
  const numbers = recordOf(z.string(), z.number());
  expect(numbers.parse({ constructor: 1, a: 2 })).toEqual({ constructor: 1, a: 2 });
  expect(numbers.safeParse({ a: 'x' }).error?.issues).toMatchObject([{ path: ['a'] }]);
  expect(numbers.safeParse([]).error?.issues).toMatchObject([{ expected: 'record' }]);
  const plain = z.strictObject({
    needed: z.record(z.string(), z.number()),
    more: z.record(z.string(), z.number()).optional(),
  });
  const own = z.strictObject({ needed: numbers, more: numbers.optional() });
  for (const io of ['input', 'output'] as const) {
    expect(z.toJSONSchema(own, { io })).toEqual(z.toJSONSchema(plain, { io }));
  }
});
