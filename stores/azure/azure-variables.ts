import { z } from 'zod';
import { isHttpsOrLoopback } from '../../network/loopback.ts';
import { EndpointSetting } from '../endpoint-setting.ts';

/** A connection string names an account, its address, and its key if the identity of the process is not to be used. */
export const azureVariables = {
  AZURE_STORAGE_CONNECTION_STRING: z.string().optional(),
  /** File with a connection string in each line. */
  AZURE_STORAGE_CONNECTION_STRING_FILE: z.string().optional(),
  // Variables of Azure's own libraries. Its workload identity webhook for Kubernetes sets the first four.
  AZURE_CLIENT_ID: z.string().optional(),
  AZURE_TENANT_ID: z.string().optional(),
  AZURE_FEDERATED_TOKEN_FILE: z.string().optional(),
  /** It receives the token of the pod. */
  AZURE_AUTHORITY_HOST: EndpointSetting.refine(isHttpsOrLoopback, { error: 'must start with https://' }).optional(),
  /** Another service of managed identities than that of Azure's machines. */
  AZURE_POD_IDENTITY_AUTHORITY_HOST: EndpointSetting.optional(),
};
export type AzureVariables = z.infer<z.ZodObject<typeof azureVariables>>;
