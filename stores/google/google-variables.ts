import { z } from 'zod';
import { EndpointSetting } from '../endpoint-setting.ts';

/** Variables of Google's own libraries. */
export const googleVariables = {
  /** Path of the file with the key of a service account. */
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  /** Another server than Google's. */
  STORAGE_EMULATOR_HOST: EndpointSetting.optional(),
};
export type GoogleVariables = z.infer<z.ZodObject<typeof googleVariables>>;
