import { z } from 'zod';
import { encryptionSchema, KeyHex } from '../http/encryption.ts';
import { WorkflowUrl } from '../http/url.ts';
import { WorkflowHeaders } from './headers.ts';

/** Name of a worker's variable. The key itself never enters Temporal's history. */
const KeyName = z
  .string()
  .regex(/^[a-zA-Z0-9_]{1,100}$/, { error: 'must be the name of a key: letters, digits and _' })
  .refine((name) => !KeyHex.safeParse(name).success, {
    error: 'is a key, which Temporal would show: use a name, and set the key as PACKAGE_KEY_<NAME> of the workers',
  });

export const WorkflowEncryption = encryptionSchema(KeyName, WorkflowUrl, WorkflowHeaders);
export type WorkflowEncryption = z.infer<typeof WorkflowEncryption>;
