import { z } from 'zod';

/**
 * Either of two schemas, chosen by the value: the errors of the chosen one name the field. A plain union would report
 * only that nothing fits.
 */
function either<One extends z.ZodType, Other extends z.ZodType>(
  one: One,
  other: Other,
  isOther: (value: unknown) => boolean,
) {
  const union = z.union([one, other]);
  const { _zod: ofUnion } = union;
  const { _zod: ofOne } = one;
  const { _zod: ofOther } = other;
  ofUnion.run = (payload, context) =>
    isOther(payload.value) ? ofOther.run(payload, context) : ofOne.run(payload, context);
  return union;
}

/** A schema's value or `false`. */
export function orFalse<Schema extends z.ZodType>(schema: Schema) {
  return either(z.literal(false), schema, (value) => value !== false);
}

/** One value of the first schema, or a list of the second. */
export function orList<One extends z.ZodType, Item extends z.ZodType>(one: One, item: Item) {
  return either(one, z.array(item).min(1).max(16), Array.isArray);
}

/** A string or number of the first schema, or an object of the second. */
export function orObject<Plain extends z.ZodType, Shape extends z.ZodType>(plain: Plain, object: Shape) {
  return either(plain, object, (value) => typeof value === 'object');
}
