import { randomBytes } from 'node:crypto';
import { BlobSASPermissions, type BlockBlobClient, RestError } from '@azure/storage-blob';
import { z } from 'zod';
import { isCredentialRefusal, isTransientStoreAnswer } from '../../contract/store-answer.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { CredentialsUnavailable, StorageError } from '../store-error.ts';
import type { ObjectHeaders, SignedRequest, SigningStore } from '../store.ts';
import { type AzureAccount, azureAccounts } from './azure-accounts.ts';
import { parseAzureUrl } from './azure-url.ts';
import type { AzureVariables } from './azure-variables.ts';

/**
 * Version of the service that signed requests ask for (https://learn.microsoft.com/rest/api/storageservices/versioning-for-the-azure-storage-services).
 * An update of the SDK must not change what the requests of containers and browsers mean.
 */
const signedVersion = '2022-11-02';

const UploadHeaders = z.strictObject({ contentType: z.string().optional(), cacheControl: z.string().optional() });

interface Blob {
  account: AzureAccount;
  client: BlockBlobClient;
  container: string;
  key: string;
}

/**
 * Azure Blob Storage. An upload in parts is a list of blocks, which Azure does not know until it is committed. The blocks of an
 * upload are found by their names, which begin with the first part of the upload's id.
 */
export function openAzureStore(variables: AzureVariables, signedSeconds: number): SigningStore {
  const accountNamed = azureAccounts(variables);
  const at = async (url: string): Promise<Blob> => {
    const object = parseAzureUrl(url);
    if (object === undefined) throw new TypeError(`Not the URL of an Azure blob: ${url}`);
    const { container, key } = object;
    const account = await accountNamed(object.account);
    return { account, client: account.service.getContainerClient(container).getBlockBlobClient(key), container, key };
  };
  return {
    kind: 'signing',
    abortsUploads: false,

    async sign(url, request, { from, expiresSeconds } = { from: new Date(), expiresSeconds: signedSeconds }) {
      const { account, client, container, key } = await at(url);
      const shown = request.kind === 'get' ? request.shown : undefined;
      const signing = account.sign({
        // The client's own names are wrong if its endpoint has a path: `http://azurite.test/devstoreaccount1`.
        containerName: container,
        blobName: key,
        version: signedVersion,
        permissions: BlobSASPermissions.parse(permissionsOf(request)),
        expiresOn: new Date(from.getTime() + expiresSeconds * 1000),
        ...(shown !== undefined && { contentType: shown.contentType, contentDisposition: shown.disposition }),
      });
      const { query: signature, expiresAtMs } = await signing.catch(failToSign);
      const query = Object.entries(queryOf(request)).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
      return { url: `${client.url}?${[...query, signature].join('&')}`, expiresAtMs };
    },

    async sizeOf(url, abortSignal) {
      const { client } = await at(url);
      const facts = await client.getProperties({ abortSignal }).catch(undefinedIfGone);
      return facts?.contentLength;
    },

    async beginUpload(url, headers) {
      // Missing credentials are found before the first part.
      await at(url);
      return uploadIdOf(headers);
    },

    async listParts(url, uploadId, abortSignal) {
      if (headersOf(uploadId) === undefined) return undefined;
      const { client } = await at(url);
      const list = await client.getBlockList('all', { abortSignal }).catch(undefinedIfGone);
      if (list?.committedBlocks?.some(({ name }) => partOf(uploadId, name) !== undefined) === true) return undefined;
      return (list?.uncommittedBlocks ?? [])
        .flatMap(({ name, size }) => {
          const part = partOf(uploadId, name);
          return part === undefined ? [] : [{ part, bytes: size, etag: name }];
        })
        .toSorted((one, other) => one.part - other.part);
    },

    async completeUpload(url, uploadId, parts, abortSignal) {
      const { client } = await at(url);
      const { contentType, cacheControl } = headersOf(uploadId) ?? {};
      const blobHTTPHeaders = {
        ...(contentType !== undefined && { blobContentType: contentType }),
        ...(cacheControl !== undefined && { blobCacheControl: cacheControl }),
      };
      await client
        .commitBlockList(
          parts.map(({ etag }) => etag),
          { abortSignal, blobHTTPHeaders },
        )
        .catch(fail);
    },

    async abortUpload(url, _uploadId, abortSignal, { isOnlyWriter } = { isOnlyWriter: false }) {
      // After a week, Azure deletes blocks that no list names. An empty list deletes them at once, but it also ends the
      // uploads of other writers, and readers would find an empty blob.
      if (!isOnlyWriter) return;
      const { client } = await at(url);
      const conditions = { ifNoneMatch: '*' };
      const empty = await client.commitBlockList([], { abortSignal, conditions }).catch(undefinedIfStored);
      if (empty === undefined) return;
      await client.delete({ abortSignal, conditions: { ifMatch: empty.etag ?? '' } }).catch(undefinedIfGone);
    },

    async listUploads() {
      return [];
    },
  };
}

function permissionsOf({ kind }: SignedRequest): string {
  if (kind === 'get') return 'r';
  if (kind === 'delete') return 'd';
  // A new blob needs c or w, and one that replaces another needs w.
  return 'cw';
}

function queryOf(request: SignedRequest): Record<string, string> {
  switch (request.kind) {
    case 'part':
      return { comp: 'block', blockid: blockName(request.uploadId, request.part) };
    case 'complete':
      return { comp: 'blocklist' };
    case 'abort':
      throw new TypeError('Azure has no request that aborts an upload');
    case 'get':
    case 'put':
    case 'delete':
      return {};
  }
}

/** The id contains the headers, because Azure receives them only with the list of blocks. */
function uploadIdOf(headers: ObjectHeaders): string {
  return `${randomBytes(8).toString('hex')}.${Buffer.from(JSON.stringify(headers)).toString('base64url')}`;
}

/** Undefined if this store has not made the id. */
function headersOf(uploadId: string): ObjectHeaders | undefined {
  const [, headers = ''] = /^[0-9a-f]{16}\.([\w-]+)$/.exec(uploadId) ?? [];
  try {
    return UploadHeaders.parse(JSON.parse(Buffer.from(headers, 'base64url').toString()));
  } catch {
    return undefined;
  }
}

/** All names of a blob's blocks must have one length. */
function blockName(uploadId: string, part: number): string {
  const [id = ''] = uploadId.split('.');
  return Buffer.from(`${id}-${String(part).padStart(6, '0')}`).toString('base64');
}

function partOf(uploadId: string, name: string): number | undefined {
  const [, id, part] = /^([0-9a-f]{16})-(\d{6})$/.exec(Buffer.from(name, 'base64').toString()) ?? [];
  return id !== undefined && uploadId.startsWith(`${id}.`) ? Number(part) : undefined;
}

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof RestError && error.statusCode === 404)) fail(error);
}

function undefinedIfStored(error: unknown): undefined {
  if (!(error instanceof RestError && error.statusCode === 409 && error.code === 'BlobAlreadyExists')) fail(error);
}

/** A run waits for the key of an identity as it waits for a token. */
function failToSign(error: unknown): never {
  if (error instanceof Error && error.name === 'AbortError') {
    throw new CredentialsUnavailable(new Error('Azure does not answer'));
  }
  const problem = problemOf(error);
  const isNew = problem instanceof StorageError && problem.passing && !(problem instanceof CredentialsUnavailable);
  throw isNew ? new CredentialsUnavailable(problem) : problem;
}

function fail(error: unknown): never {
  throw problemOf(error);
}

/** Wraps errors of Azure's SDK. Aborts and timeouts pass unchanged. */
function problemOf(error: unknown): unknown {
  if (!(error instanceof RestError)) return error;
  const { statusCode: status, code } = error;
  const untrusted = untrustedReason(errnoOf(error));
  if (untrusted !== undefined) return new StorageError(`Azure cannot be trusted: ${untrusted}`, false);
  if (status === undefined) return new StorageError(`Azure cannot be reached (${code ?? error.name})`, true);
  const isPassing = isCredentialRefusal(code) || isTransientStoreAnswer(status, code);
  // The SDK's own error holds the request with its signature.
  return new StorageError(`Azure answered ${[status, code].filter(Boolean).join(' ')}`, isPassing);
}
