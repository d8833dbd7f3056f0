import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { errnoOf } from '../../contract/unknown-values.ts';
import { freshFile } from '../fresh-file.ts';
import { StorageError } from '../store-error.ts';
import type { AzureVariables } from './azure-variables.ts';

/** An account whose requests this process can sign. */
export interface AzureAccount {
  service: BlobServiceClient;
  key: StorageSharedKeyCredential;
}

const settings = 'AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_CONNECTION_STRING_FILE';

/** Returns a function that finds an account by its name. It throws a StorageError that names the setting to correct. */
export function azureAccounts(variables: AzureVariables): (account: string) => Promise<AzureAccount> {
  const { AZURE_STORAGE_CONNECTION_STRING: one, AZURE_STORAGE_CONNECTION_STRING_FILE: path } = variables;
  let parsed: AzureAccount[] | undefined;
  const given = () => (parsed ??= parseAccounts(one ?? '', 'AZURE_STORAGE_CONNECTION_STRING'));
  const listed =
    path === undefined
      ? async () => []
      : freshFile(path, (text) => parseAccounts(text, 'AZURE_STORAGE_CONNECTION_STRING_FILE'));
  return async (name) => {
    const isNamed = ({ key }: AzureAccount): boolean => key.accountName === name;
    const inFile = await listed().catch((error: unknown) => {
      if (error instanceof StorageError) throw error;
      throw new StorageError(
        `the file of AZURE_STORAGE_CONNECTION_STRING_FILE cannot be read (${errnoOf(error)})`,
        false,
      );
    });
    const found = inFile.find(isNamed) ?? given().find(isNamed);
    if (found === undefined)
      throw new StorageError(`the key of the account ${name} is not known; set ${settings}`, false);
    return found;
  };
}

/** Errors contain no part of the text, which has the keys. */
function parseAccounts(text: string, setting: string): AzureAccount[] {
  const lines = text.split('\n').map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line, index) => {
      const service = serviceOf(line);
      const key = service?.credential;
      if (service !== undefined && key instanceof StorageSharedKeyCredential) return { service, key };
      throw new StorageError(`line ${index + 1} of ${setting} is not a connection string with an AccountKey`, false);
    });
}

function serviceOf(connectionString: string): BlobServiceClient | undefined {
  try {
    return BlobServiceClient.fromConnectionString(connectionString, {
      // The callers of a store retry, and they limit the time of all attempts.
      retryOptions: { maxTries: 1 },
    });
  } catch {
    return undefined;
  }
}
