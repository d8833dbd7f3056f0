import { BlobServiceClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { freshFile } from '../fresh-file.ts';
import { StorageError } from '../store-error.ts';
import { type AzureIdentity, azureIdentity } from './azure-identity.ts';
import type { AzureVariables } from './azure-variables.ts';
import { type BlobSigner, signByIdentity, signByKey } from './blob-signer.ts';

/** An account whose requests this process can sign. */
export interface AzureAccount {
  name: string;
  service: BlobServiceClient;
  sign: BlobSigner;
}

const settings = 'AZURE_STORAGE_CONNECTION_STRING or AZURE_STORAGE_CONNECTION_STRING_FILE';

/** Returns a function that finds an account by its name. It throws a StorageError that names the setting to correct. */
export function azureAccounts(variables: AzureVariables): (account: string) => Promise<AzureAccount> {
  const { AZURE_STORAGE_CONNECTION_STRING: one, AZURE_STORAGE_CONNECTION_STRING_FILE: path } = variables;
  const identity = azureIdentity(variables);
  const parse = (text: string, setting: string) => parseAccounts(text, setting, identity);
  let parsed: AzureAccount[] | undefined;
  const given = () => (parsed ??= one === undefined ? [] : parse(one, 'AZURE_STORAGE_CONNECTION_STRING'));
  const fileSetting = 'AZURE_STORAGE_CONNECTION_STRING_FILE';
  const listed = path === undefined ? async () => [] : freshFile(fileSetting, path, (text) => parse(text, fileSetting));
  return async (name) => {
    const isNamed = (account: AzureAccount): boolean => account.name === name;
    const found = (await listed()).find(isNamed) ?? given().find(isNamed);
    if (found === undefined)
      throw new StorageError(`the key of the account ${name} is not known; set ${settings}`, false);
    return found;
  };
}

/** Errors contain no part of the text, which has the keys. */
function parseAccounts(text: string, setting: string, identity: AzureIdentity): AzureAccount[] {
  const lines = text.split('\n').map((line) => line.trim());
  const accounts = lines
    .filter((line) => line !== '')
    .map((line, index) => {
      const account = accountOf(line, identity);
      if (account !== undefined) return account;
      throw new StorageError(
        `line ${index + 1} of ${setting} is not a connection string with an AccountKey, or with the AccountName of an https: account alone`,
        false,
      );
    });
  // A file is empty while its new content is written.
  if (accounts.length === 0) throw new StorageError(`${setting} has no connection string`, false);
  return accounts;
}

/** The callers of a store retry, and they limit the time of all attempts. */
const options = { retryOptions: { maxTries: 1 } };

/** A connection string without any secret names an account that the identity of this process uses. */
function accountOf(connectionString: string, identity: AzureIdentity): AzureAccount | undefined {
  const fields = fieldsOf(connectionString);
  const name = fields.get('accountname');
  if (name !== undefined && !fields.has('accountkey') && !fields.has('sharedaccesssignature')) {
    const suffix = fields.get('endpointsuffix') ?? 'core.windows.net';
    const endpoint = fields.get('blobendpoint') ?? `https://${name}.blob.${suffix}`;
    if (!/^https:/i.test(endpoint) || !URL.canParse(endpoint)) return undefined;
    const service = new BlobServiceClient(endpoint, identity, options);
    return { name, service, sign: signByIdentity(service, name) };
  }
  const service = serviceOf(connectionString);
  const key = service?.credential;
  if (service === undefined || !(key instanceof StorageSharedKeyCredential)) return undefined;
  return { name: key.accountName, service, sign: signByKey(key) };
}

function fieldsOf(connectionString: string): ReadonlyMap<string, string> {
  const fields = connectionString.split(';').map((field): [string, string] => {
    const [name = '', ...value] = field.split('=');
    return [name.trim().toLowerCase(), value.join('=').trim()];
  });
  return new Map(fields.filter(([, value]) => value !== ''));
}

function serviceOf(connectionString: string): BlobServiceClient | undefined {
  try {
    return BlobServiceClient.fromConnectionString(connectionString, options);
  } catch {
    return undefined;
  }
}
