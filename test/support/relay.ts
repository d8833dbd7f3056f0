import { openStores, type Stores } from '../../stores/backends.ts';
import { parseAllowedAddresses } from '../../network/address-guard.ts';
import { startRelay } from '../../stores/relay/relay-server.ts';
import { type RelayMethod, type RelayUpload, RelayUrls } from '../../stores/relay/relay-urls.ts';
import { freePort } from './ports.ts';

export interface TestRelay {
  /** `http://127.0.0.1:…` */
  address: string;
  stores: Stores;
  /** The URL of a run that is open until `endRun` ends it. */
  sign(url: string, method: RelayMethod, seconds?: number, upload?: RelayUpload): string;
  urls: RelayUrls;
  /** `agoMs`: time since the end, for requests that a run may still make after it. */
  endRun(agoMs?: number): void;
  /** Stops the answers of Temporal. */
  loseTemporal(): void;
  /** Sentences and facts that the relay has logged. */
  warnings: string[];
  /** `graceMs`: 0 cuts transfers, as the end of a process does. */
  stop(graceMs?: number): Promise<void>;
}

/** The run whose URLs the relays of tests serve. */
export const runOfTest = { workflowId: 'talk', runId: 'run-1' };

export function allowing(text: string) {
  const parsed = parseAllowedAddresses(text);
  if (parsed.kind === 'bad') throw new Error(parsed.message);
  return parsed.allowed;
}

/** Starts the relay of a worker with this STORE_LOGINS_FILE. */
export async function openRelay(
  loginsFile: string,
  options: { key?: string; allowed?: string; port?: number; address?: string } = {},
): Promise<TestRelay> {
  const { key, allowed = '127.0.0.1', port = await freePort() } = options;
  const { address = `http://127.0.0.1:${port}` } = options;
  const urls = new RelayUrls({ address, key });
  const variables = { STORE_LOGINS_FILE: loginsFile, ALLOW_PRIVATE_ADDRESSES: allowing(allowed) };
  const stores = openStores(variables, 600, urls);
  const warnings: string[] = [];
  const warn = (facts: object, sentence: string) => void warnings.push(sentence + JSON.stringify(facts));
  /** Undefined while the run is open. */
  let endedMs: number | Promise<never> | undefined;
  const isOpen = async (_run: object, graceMs: number): Promise<boolean> => {
    const ago = await endedMs;
    return ago === undefined || ago < graceMs;
  };
  const started = await startRelay(address, port, { stores, urls, warn, isOpen });
  return {
    address,
    stores,
    urls,
    sign: (url, method, seconds = 60, upload) => urls.sign(url, method, runOfTest, seconds, upload).url,
    endRun: (agoMs = Infinity) => (endedMs = agoMs),
    loseTemporal() {
      endedMs = Promise.reject(new Error('no connection'));
      endedMs.catch(() => undefined);
    },
    warnings,
    stop: async (graceMs = 0) => await started.stop(graceMs),
  };
}
