import { z } from 'zod';

/** A string or number of the first schema, or an object of the second. Each reports its own errors, as in `orFalse`. */
export function orObject<Plain extends z.ZodType, Shape extends z.ZodType>(plain: Plain, object: Shape) {
  const union = z.union([plain, object]);
  const { _zod: ofUnion } = union;
  const { _zod: ofPlain } = plain;
  const { _zod: ofObject } = object;
  ofUnion.run = (payload, context) =>
    typeof payload.value === 'object' ? ofObject.run(payload, context) : ofPlain.run(payload, context);
  return union;
}
