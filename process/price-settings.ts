import { z } from 'zod';
import type { Prices } from '../contract/prices.ts';

const PriceSetting = z.coerce
  .number({ error: 'must be a number' })
  .min(0, { error: 'must not be negative' })
  .max(1_000_000, { error: 'must be at most 1000000' })
  .optional();

/** The variables of `Prices`. */
export const priceVariables = {
  PRICE_CURRENCY: z
    .string()
    .regex(/^[A-Z]{3}$/, { error: 'must be an ISO 4217 code, such as EUR' })
    .default('USD'),
  PRICE_PER_CPU_HOUR: PriceSetting,
  PRICE_PER_GB_IN: PriceSetting,
  PRICE_PER_GB_OUT: PriceSetting,
};

export function pricesIn(values: z.infer<z.ZodObject<typeof priceVariables>>): Prices {
  return {
    currency: values.PRICE_CURRENCY,
    perCpuHour: values.PRICE_PER_CPU_HOUR,
    perGbIn: values.PRICE_PER_GB_IN,
    perGbOut: values.PRICE_PER_GB_OUT,
  };
}
