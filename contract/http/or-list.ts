import { z } from 'zod';

/** One value of the first schema, or a list of the second. Each reports its own errors, as in `orFalse`. */
export function orList<One extends z.ZodType, Item extends z.ZodType>(one: One, item: Item) {
  const list = z.array(item).min(1).max(16);
  const union = z.union([one, list]);
  const { _zod: ofUnion } = union;
  const { _zod: ofOne } = one;
  const { _zod: ofList } = list;
  ofUnion.run = (payload, context) =>
    Array.isArray(payload.value) ? ofList.run(payload, context) : ofOne.run(payload, context);
  return union;
}
