import { isPlainKey } from '../plain-key.ts';

export interface AzureObject {
  account: string;
  container: string;
  key: string;
}

/**
 * Reads `az://<account>/<container>/<key>`. The key is literal: `#`, `?` and `%` are ordinary characters. Azure drops dots at
 * the end of a folder's or a file's name and takes `\` for `/`, so such a key would name another object.
 */
export function parseAzureUrl(url: string): AzureObject | undefined {
  const [, account, container, key] =
    /^az:\/\/([a-z0-9]{3,24})\/(\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62})\/(.+)$/s.exec(url) ?? [];
  if (account === undefined || container === undefined || key === undefined) return undefined;
  return isPlainKey(key) && !/\\|\.(?:\/|$)/.test(key) ? { account, container, key } : undefined;
}
