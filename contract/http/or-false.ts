import { z } from 'zod';

/**
 * What the schema takes, or `false`. A union alone would say of a wrong field that nothing fits; what is not `false` goes to the
 * schema, whose errors name the field.
 */
export function orFalse<Schema extends z.ZodType>(schema: Schema) {
  const union = z.union([z.literal(false), schema]);
  const { _zod: ofUnion } = union;
  const { _zod: ofSchema } = schema;
  ofUnion.run = (payload, context) =>
    payload.value === false ? (payload as z.core.ParsePayload<false>) : ofSchema.run(payload, context);
  return union;
}
