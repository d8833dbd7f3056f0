import { z } from 'zod';

/**
 * A schema's value or `false`. A plain union would report only that nothing fits; here the schema's errors name the
 * field.
 */
export function orFalse<Schema extends z.ZodType>(schema: Schema) {
  const union = z.union([z.literal(false), schema]);
  const { _zod: ofUnion } = union;
  const { _zod: ofSchema } = schema;
  ofUnion.run = (payload, context) =>
    payload.value === false ? (payload as z.core.ParsePayload<false>) : ofSchema.run(payload, context);
  return union;
}
