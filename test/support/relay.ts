import { openStores, type Stores } from '../../stores/backends.ts';
import { parseAllowedAddresses } from '../../network/address-guard.ts';
import { startRelay } from '../../stores/relay/relay-server.ts';
import { RelayUrls } from '../../stores/relay/relay-urls.ts';
import { freePort } from './ports.ts';

export interface TestRelay {
  /** `http://127.0.0.1:…` */
  address: string;
  stores: Stores;
  urls: RelayUrls;
  /** Sentences and facts that the relay has logged. */
  warnings: string[];
  stop(): Promise<void>;
}

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
  const server = await startRelay(address, port, { stores, urls, warn });
  return {
    address,
    stores,
    urls,
    warnings,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
