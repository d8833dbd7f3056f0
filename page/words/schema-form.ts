import { isRecord } from '../../contract/unknown-values.ts';

/** The parts of JSON Schema that the form uses. */
export interface Schema {
  type?: string;
  enum?: readonly unknown[];
  const?: unknown;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  anyOf?: readonly Schema[];
}

export type FormField = { name: string } & (
  | { kind: 'choice'; values: readonly unknown[] }
  | { kind: 'number'; isWhole: boolean; least: number | undefined; most: number | undefined }
  | { kind: 'text' }
  /** `canBeLeftOut`: the value `false` leaves the group out. */
  | { kind: 'group'; fields: readonly FormField[]; canBeLeftOut: boolean }
);

/** A form field for a schema; undefined if the form cannot show it. */
export function formField(name: string, schema: Schema): FormField | undefined {
  const variants = variantsOf(schema);
  const values = variants.flatMap(choicesOf);
  const group = variants.find(({ properties }) => properties !== undefined);
  if (group?.properties !== undefined && values.every((value) => value === false)) {
    const fields = Object.entries(group.properties).map(([part, inner]) => formField(part, inner));
    const known = fields.filter((field) => field !== undefined);
    return { name, kind: 'group', fields: known, canBeLeftOut: values.length > 0 };
  }
  if (values.length > 0) return { name, kind: 'choice', values };
  const [variant] = variants;
  if (variant?.type === 'number' || variant?.type === 'integer') {
    const { minimum: least, maximum: most } = variant;
    return { name, kind: 'number', isWhole: variant.type === 'integer', least, most };
  }
  return variant?.type === 'string' ? { name, kind: 'text' } : undefined;
}

function variantsOf(schema: Schema): readonly Schema[] {
  return schema.anyOf === undefined ? [schema] : schema.anyOf.flatMap(variantsOf);
}

function choicesOf(schema: Schema): readonly unknown[] {
  if (schema.const !== undefined) return [schema.const];
  if (schema.enum !== undefined) return schema.enum;
  return schema.type === 'boolean' ? [true, false] : [];
}

/** Returns the settings with a value at a path. Undefined removes the value and the groups left empty. */
export function withValue(settings: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const { [name]: before, ...others } = isRecord(settings) ? settings : {};
  const after = withValue(before, rest, value);
  const all = after === undefined ? others : { ...others, [name]: after };
  return Object.keys(all).length === 0 ? undefined : all;
}

export function valueAt(settings: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), settings);
}
