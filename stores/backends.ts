import type { z } from 'zod';
import { isRelayedFile } from '../contract/relayed-url.ts';
import type { RunOfJob } from '../contract/activity.ts';
import { type AllowedAddresses, nothingAllowed } from '../network/address-guard.ts';
import { azureVariables } from './azure/azure-variables.ts';
import { parseAzureUrl } from './azure/azure-url.ts';
import { parseGoogleUrl } from './google/google-url.ts';
import { googleVariables } from './google/google-variables.ts';
import { Logins } from './logins/logins.ts';
import type { RelayMethod, RelayUpload, RelayUrls } from './relay/relay-urls.ts';
import { parseS3Url } from './s3/s3-url.ts';
import { s3Variables } from './s3/s3-variables.ts';
import type { SignedUrl, Store } from './store.ts';

/** Environment variables of all back ends except MEDIA_ROOT, which a process may need for itself. */
export const storeVariables = {
  ...s3Variables,
  ...azureVariables,
  ...googleVariables,
};
export interface StoreVariables extends z.infer<z.ZodObject<typeof storeVariables>> {
  /** Folder that `file:` URLs may name; undefined refuses them. */
  MEDIA_ROOT?: string | undefined;
  /** File with the logins of stores that sign nothing. */
  STORE_LOGINS_FILE?: string | undefined;
  /** Internal addresses at which such stores may be. */
  ALLOW_PRIVATE_ADDRESSES?: AllowedAddresses | undefined;
}

interface Backend {
  /** Whether `open` gives a SigningStore. */
  signs: boolean;
  /** Whether `open` gives a RelayedStore. */
  isRelayed?: boolean;
  /** What a URL names, in words. */
  names: string;
  /** Whether a URL of the scheme names one object. */
  isObjectUrl(url: string): boolean;
  /** Loads the back end's SDK: a process that never uses the scheme does not pay for it. */
  open(variables: StoreVariables, signedSeconds: number): Promise<Store>;
}

const relayed = { signs: false, isRelayed: true, names: 'a file', isObjectUrl: isRelayedFile } as const;

/**
 * Every back end of storage, by the scheme of its URLs. A new back end is one folder beside `s3/` that implements `Store`, and one row here;
 * its environment variables go into `storeVariables`, and its scheme into the schemas of `contract/http/url.ts`.
 */
const backends: Readonly<Record<string, Backend>> = {
  file: {
    signs: false,
    names: 'a file',
    // The container reads the file and refuses paths that are not plain.
    isObjectUrl: () => true,
    open: async ({ MEDIA_ROOT }) => (await import('./file/file-store.ts')).openFileStore(MEDIA_ROOT),
  },
  s3: {
    signs: true,
    names: 'a bucket and a key',
    isObjectUrl: (url) => parseS3Url(url) !== undefined,
    open: async (variables, signedSeconds) => (await import('./s3/s3-store.ts')).openS3Store(variables, signedSeconds),
  },
  az: {
    signs: true,
    names: 'an account, a container and a key',
    isObjectUrl: (url) => parseAzureUrl(url) !== undefined,
    open: async (variables, seconds) => (await import('./azure/azure-store.ts')).openAzureStore(variables, seconds),
  },
  gs: {
    signs: true,
    names: 'a bucket and a key',
    isObjectUrl: (url) => parseGoogleUrl(url) !== undefined,
    open: async (variables, seconds) => (await import('./google/google-store.ts')).openGoogleStore(variables, seconds),
  },
  sftp: { ...relayed, open: openSftp },
  'webdav+https': { ...relayed, open: openWebdav },
  'webdav+http': { ...relayed, open: openWebdav },
};

async function openSftp(variables: StoreVariables): Promise<Store> {
  const { openSftpStore } = await import('./sftp/sftp-store.ts');
  return openSftpStore(...relayedSettings(variables));
}

async function openWebdav(variables: StoreVariables): Promise<Store> {
  const { openWebdavStore } = await import('./webdav/webdav-store.ts');
  return openWebdavStore(...relayedSettings(variables));
}

/** Each store checks the addresses to which it connects, because a run names the host. */
function relayedSettings({ STORE_LOGINS_FILE, ALLOW_PRIVATE_ADDRESSES }: StoreVariables): [Logins, AllowedAddresses] {
  return [new Logins(STORE_LOGINS_FILE), ALLOW_PRIVATE_ADDRESSES ?? nothingAllowed];
}

/** The row of a URL's scheme; undefined for other URLs, such as `https:`. */
export function backendOf(url: string): Backend | undefined {
  // Requests may have blanks before the scheme, which URL parsers ignore.
  const scheme = /^\s*([a-z][a-z0-9+.-]*):/i.exec(url)?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(backends, scheme) ? backends[scheme] : undefined;
}

/** Whether others reach the object only by URLs that its store or a relay signs. */
export function needsSigning(url: string): boolean {
  const backend = backendOf(url);
  return backend?.signs === true || backend?.isRelayed === true;
}

/** The stores of this process. */
export interface Stores {
  /** Undefined for a URL that no back end handles, such as `https:`. */
  at(url: string): Promise<Store | undefined>;
  /** Signs URLs of relayed stores for containers; undefined in a process without RELAY_URL. */
  relay?: RelaySigner | undefined;
}

export interface RelaySigner {
  /** The URL ends with the run. */
  sign(url: string, method: RelayMethod, run: RunOfJob, upload?: RelayUpload): SignedUrl;
}

/** `signedSeconds`: lifetime of a signed URL whose caller gives none. */
export function openStores(variables: StoreVariables, signedSeconds: number, relay?: RelayUrls): Stores {
  const opened = new Map<Backend, Promise<Store>>();
  return {
    relay: relay && { sign: (url, method, run, upload) => relay.sign(url, method, run, signedSeconds, upload) },
    async at(url) {
      const backend = backendOf(url);
      if (backend === undefined) return undefined;
      const store = opened.get(backend) ?? backend.open(variables, signedSeconds);
      opened.set(backend, store);
      return await store;
    },
  };
}
