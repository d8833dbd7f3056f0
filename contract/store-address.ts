/** Host and path of an object. */
export interface StoreAddress {
  host: string;
  /** Decoded; begins with `/`. */
  path: string;
}

/**
 * Azure serves a blob by several hosts of one account: those of a read-only copy (`account-secondary`), of a route
 * (`account-internetrouting`), of a DNS zone, of a private link, of Data Lake Storage, and of the account's web site.
 */
const azureHost = /^([a-z0-9]+)(?:-[a-z0-9-]+)?(?:\.z\d+)?(?:\.privatelink)?\.(blob|dfs|web)(?=\.(?:core|storage)\.)/;

/** Google's JSON API and Firebase name a bucket and an object by parts of the path. */
const googleJsonHost = /^(?:storage|www|firebasestorage)\.googleapis\.com$/;
const googleJsonPath = /^\/(?:(?:download\/)?storage\/v1|v0)\/b\/([^/]+)\/o\/(?=.)/;

/** Names of a bucket in AWS: its global host, and hosts of its region, of IPv6, of acceleration and of private endpoints. */
const awsHost = /^(.*\.)?s3[.-](?:[a-z0-9-]+\.)*amazonaws\.com/;
const awsEndpoint = /^(.*\.)?bucket\.vpce-[a-z0-9-]+\.(?=s3\.)/;

/** Hosts that other stores use for the same buckets: older names, regions, browsers, private networks and caches. */
const otherHosts: readonly [RegExp, string][] = [
  [/(^|\.)(?:commondatastorage|storage\.mtls|storage\.[a-z0-9-]+\.rep)(?=\.googleapis\.com$)/, '$1storage'],
  [/^storage\.cloud\.google\.com$/, 'storage.googleapis.com'],
  [/(^|\.)(?:s3\.)?oss-[a-z0-9-]+(?=\.aliyuncs\.com$)/, '$1oss'],
  [/\.cdn(?=\.digitaloceanspaces\.com$)/, ''],
];

/** The same host and path for all addresses by which a store serves one object. */
export function storeAddress({ host, path }: StoreAddress): StoreAddress {
  const service = azureHost.exec(host)?.[2];
  if (service !== undefined) return { host: host.replace(azureHost, '$1.blob'), path: azurePath(service, path) };
  if (googleJsonHost.test(host) && googleJsonPath.test(path)) {
    return { host: 'storage.googleapis.com', path: path.replace(googleJsonPath, '/$1/') };
  }
  const inAws = host.replace(awsEndpoint, '$1').replace(awsHost, '$1s3.amazonaws.com');
  // AWS reads `+` in a path as a space, and its console writes one so.
  if (awsHost.test(inAws)) return { host: inAws, path: path.replaceAll('+', ' ') };
  return { host: otherHosts.reduce((name, [other, usual]) => name.replace(other, usual), host), path };
}

/** The web site shows the container `$web`. A path without a folder names a blob of the container `$root`. */
function azurePath(service: string, path: string): string {
  if (service === 'web') return `/$web${path}`;
  return /^\/[^/]+$/.test(path) ? `/$root${path}` : path;
}
