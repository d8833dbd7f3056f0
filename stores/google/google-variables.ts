import { z } from 'zod';
import { EndpointSetting } from '../endpoint-setting.ts';

/** Variables of Google's own libraries. */
export const googleVariables = {
  /** Path of the file with the key of a service account. */
  GOOGLE_APPLICATION_CREDENTIALS: z.string().optional(),
  /** Service account for which the identity of the machine signs, if there is no file with a key. */
  GOOGLE_SERVICE_ACCOUNT: z.email().optional(),
  /** Host of another service of metadata than that of Google's machines. */
  GCE_METADATA_HOST: z.string().optional(),
  /** Another server than Google's. */
  STORAGE_EMULATOR_HOST: EndpointSetting.optional(),
};
export type GoogleVariables = z.infer<z.ZodObject<typeof googleVariables>>;
