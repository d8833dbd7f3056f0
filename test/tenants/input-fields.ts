import { z } from 'zod';

interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  type?: string;
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
}

/** Paths of the free texts of a request, such as `outputs[].cover.url`; `{}` stands for any name. */
export function textFields(schema: z.ZodType): string[] {
  const root = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
  return [...new Set(textsIn(root, '', root))].toSorted();
}

function textsIn(schema: Schema, path: string, root: Schema): string[] {
  const { properties = {}, additionalProperties: others, items } = schema;
  const target = schema.$ref === undefined ? undefined : root.$defs?.[schema.$ref.replace('#/$defs/', '')];
  const same = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? []), ...(target ? [target] : [])];
  const isText = schema.type === 'string' && schema.const === undefined && schema.enum === undefined;
  return [
    ...(isText ? [path] : []),
    ...same.flatMap((part) => textsIn(part, path, root)),
    ...Object.entries(properties).flatMap(([name, part]) =>
      textsIn(part, path === '' ? name : `${path}.${name}`, root),
    ),
    ...(typeof others === 'object' ? textsIn(others, `${path}{}`, root) : []),
    ...(items === undefined ? [] : textsIn(items, `${path}[]`, root)),
  ];
}

/** A body with the value at the path; lists have one entry. */
export function bodyWith(path: string, value: unknown): Record<string, unknown> {
  const wrap = (steps: string[]): unknown => {
    const [step, ...rest] = steps;
    if (step === undefined) return value;
    if (step === '[]') return [wrap(rest)];
    return { [step]: wrap(rest) };
  };
  return wrap(path.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? []) as Record<string, unknown>;
}

/** The body with the fields of another merged into it; lists are merged entry by entry. */
export function merged(body: unknown, more: unknown): unknown {
  if (Array.isArray(body) && Array.isArray(more)) {
    return Array.from({ length: Math.max(body.length, more.length) }, (_, index) => merged(body[index], more[index]));
  }
  if (!isObject(body) || !isObject(more)) return more === undefined ? body : more;
  const names = new Set([...Object.keys(body), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, merged(body[name], more[name])]));
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
