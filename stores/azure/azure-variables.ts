import { z } from 'zod';

/** A connection string names an account, its key and its address. */
export const azureVariables = {
  AZURE_STORAGE_CONNECTION_STRING: z.string().optional(),
  /** File with a connection string in each line. */
  AZURE_STORAGE_CONNECTION_STRING_FILE: z.string().optional(),
};
export type AzureVariables = z.infer<z.ZodObject<typeof azureVariables>>;
