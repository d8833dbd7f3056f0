import { z } from 'zod';
import { requestIdHeader } from './request-id.ts';

/** Query parameters, from the schema that validates them. */
export function queryParameters(query: z.ZodObject) {
  return Object.entries(query.shape).map(([name, schema]) => ({
    name,
    in: 'query',
    required: !schema.safeParse(undefined).success,
    schema: z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }),
  }));
}

/** An OpenAPI 3.1 document and its parts, generated from the schemas that validate the requests. */
export function openApiOf<Schemas extends Readonly<Record<string, z.ZodType>>>(schemas: Schemas) {
  type Name = keyof Schemas & string;
  /** Requests may omit fields that have a default; answers have every field. */
  const jsonSchema = (name: Name) => {
    const io = name.endsWith('Request') || name.endsWith('Input') ? 'input' : 'output';
    const { $schema: _, ...schema } = z.toJSONSchema(schemas[name] as z.ZodType, { target: 'draft-2020-12', io });
    return schema;
  };
  const reference = (name: Name) => ({ $ref: `#/components/schemas/${name}` });
  const json = (name: Name) => ({ 'application/json': { schema: reference(name) } });
  return {
    jsonSchema,
    reference,
    json,
    answer: (description: string, name: Name) => ({ description, content: json(name) }),
    document: <Paths extends Record<string, PathItem>>(title: string, version: string, paths: Paths) => ({
      openapi: '3.1.0',
      info: { title, version, license: { name: 'MIT', identifier: 'MIT' } },
      security: [{}, { bearer: [] }],
      paths: withRequestIds(paths),
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        schemas: Object.fromEntries(Object.keys(schemas).map((name) => [name, jsonSchema(name)])),
      },
    }),
  };
}

const requestId = {
  name: requestIdHeader,
  in: 'header',
  schema: { type: 'string' },
  description: 'Identifies the request in logs and runs: 1 to 128 printable characters; another value is replaced.',
} as const;

const requestIdOfAnswer = {
  schema: { type: 'string' },
  description: 'The id of the request; new unless the request had one.',
};

/** Operations of an OpenAPI path: `parameters` is a key beside the methods. */
type PathItem = Record<string, unknown>;

/** Adds the header to each operation of the paths of an OpenAPI document, and to each of its answers. */
function withRequestIds<Paths extends Record<string, PathItem>>(paths: Paths): Paths {
  const described = Object.entries(paths).map(([path, item]) => {
    const { parameters = [], ...operations } = item;
    const answering = Object.entries(operations).map(([method, operation]) => [method, withHeader(operation)]);
    return [path, { parameters: [...(parameters as object[]), requestId], ...Object.fromEntries(answering) }];
  });
  return Object.fromEntries(described) as Paths;
}

function withHeader(operation: unknown): object {
  const { responses, ...rest } = operation as { responses: Record<string, object> };
  const answers = Object.entries(responses).map(([status, answer]) => [
    status,
    { ...answer, headers: { [requestIdHeader]: requestIdOfAnswer } },
  ]);
  return { ...rest, responses: Object.fromEntries(answers) };
}
