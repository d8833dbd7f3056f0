import { z } from 'zod';

/** A word or a number of the one kind, or an object of the other, each with the errors of its own schema, as `orFalse` does. */
export function orObject<Plain extends z.ZodType, Shape extends z.ZodType>(plain: Plain, object: Shape) {
  const union = z.union([plain, object]);
  const { _zod: ofUnion } = union;
  const { _zod: ofPlain } = plain;
  const { _zod: ofObject } = object;
  ofUnion.run = (payload, context) =>
    typeof payload.value === 'object' ? ofObject.run(payload, context) : ofPlain.run(payload, context);
  return union;
}
