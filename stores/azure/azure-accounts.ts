import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
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
  const given = () => (parsed ??= one === undefined ? [] : parseAccounts(one, 'AZURE_STORAGE_CONNECTION_STRING'));
  const fileSetting = 'AZURE_STORAGE_CONNECTION_STRING_FILE';
  const listed =
    path === undefined ? async () => [] : freshFile(fileSetting, path, (text) => parseAccounts(text, fileSetting));
  return async (name) => {
    const isNamed = ({ key }: AzureAccount): boolean => key.accountName === name;
    const found = (await listed()).find(isNamed) ?? given().find(isNamed);
    if (found === undefined)
      throw new StorageError(`the key of the account ${name} is not known; set ${settings}`, false);
    return found;
  };
}

/** Errors contain no part of the text, which has the keys. */
function parseAccounts(text: string, setting: string): AzureAccount[] {
  const lines = text.split('\n').map((line) => line.trim());
  const accounts = lines
    .filter((line) => line !== '')
    .map((line, index) => {
      const service = serviceOf(line);
      const key = service?.credential;
      if (service !== undefined && key instanceof StorageSharedKeyCredential) return { service, key };
      throw new StorageError(`line ${index + 1} of ${setting} is not a connection string with an AccountKey`, false);
    });
  // A file is empty while its new content is written.
  if (accounts.length === 0) throw new StorageError(`${setting} has no connection string`, false);
  return accounts;
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
