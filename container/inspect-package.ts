import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { redactUrlAndFolder } from '../contract/shown-url.ts';
import type { PackageReport } from '../contract/package-report.ts';
import { nothingAllowed, parseAllowedAddresses } from '../network/address-guard.ts';
import { SettingError } from '../process/settings.ts';
import { type Config, readConfig } from './config.ts';
import { MediaError } from '../engine/media-error.ts';
import { MalformedFile } from '../engine/formats/malformed-file.ts';
import { segmentDecoder } from '../engine/products/package/decode-segment.ts';
import { describePackage } from '../engine/products/package/describe-package.ts';
import type { Resource } from '../engine/products/package/media-playlist.ts';
import { readLocal } from '../engine/products/package/read-local.ts';
import { type PackageIndexes, readPackage } from '../engine/products/package/read-package.ts';
import { UnreadableResource } from '../engine/products/package/unreadable-resource.ts';
import { downloadSource } from './transfer/download.ts';
import { createMediaAgent } from './transfer/http-agent.ts';
import { freeBytesIn, jobRoom } from './transfer/scratch-room.ts';

/**
 * Child process of `npx holdfast inspect`: reads a package and prints a PackageReport, or why the package cannot be read. The process has a
 * heap limit against hostile manifests. Its argument is JSON: `playlist` and `manifest` as URLs, and `decode`.
 */
const { decode, ...indexes } = JSON.parse(process.argv[2] ?? '{}') as PackageIndexes & { decode: boolean };
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop.abort());

async function report(config: Config, folder: string): Promise<PackageReport> {
  const { signal } = stop;
  const read = await readPackage(indexes, {
    read: resourceReader(config, folder),
    signal,
    advance: () => {},
    ...(decode && { decode: segmentDecoder(join(folder, 'segment'), config, signal) }),
  });
  return describePackage(read, decode);
}

/** Downloads a resource of a server before reading it. A file that is read in ranges stays until the end. */
function resourceReader(config: Config, folder: string): (resource: Resource) => Promise<Buffer> {
  const index = new URL(indexes.playlist ?? indexes.manifest ?? '');
  // The person named this host; other hosts obey the rules for sources.
  const named = parseAllowedAddresses(index.hostname.replaceAll(/[[\]]/g, ''));
  const { hosts, ranges } = named.kind === 'allowed' ? named.allowed : nothingAllowed;
  const { allowedAddresses, stallTimeoutSeconds, maxSourceBytes } = config;
  const allowed = {
    ...allowedAddresses,
    hosts: new Set([...allowedAddresses.hosts, ...hosts]),
    ranges: [...allowedAddresses.ranges, ...ranges],
  };
  const dispatcher = createMediaAgent(allowed, stallTimeoutSeconds);
  const kept = new Map<string, string>();
  return async ({ uri, range }) => {
    const url = URL.parse(uri);
    if (url?.protocol === 'file:' && index.protocol === 'file:') return await readLocal({ uri, range });
    if (url?.protocol !== 'https:' && url?.protocol !== 'http:')
      throw new UnreadableResource('has an address that players do not fetch');
    const path = kept.get(uri) ?? join(folder, `resource-${kept.size}`);
    if (!kept.has(uri)) await fetchResource(url, path);
    if (range !== undefined) kept.set(uri, path);
    return await readLocal({ uri: pathToFileURL(path).href, range });
  };

  async function fetchResource(url: URL, path: string): Promise<void> {
    try {
      await downloadSource(url.href, path, {
        dispatcher,
        mediaRoot: undefined,
        maxBytes: maxSourceBytes,
        room: jobRoom(() => freeBytesIn(folder)),
        connections: 1,
        signal: stop.signal,
        onProgress: () => {},
      });
    } catch (error) {
      if (!(error instanceof MediaError)) throw error;
      // An unreachable server says nothing about the package, and every further file would wait for it again.
      if (error.code === 'source_unavailable' || error.code === 'stalled') throw error;
      throw new UnreadableResource(
        error.code === 'source_not_found' ? 'is missing' : `is not fetched: ${error.message}`,
      );
    }
  }
}

function refusalOf(error: unknown): string {
  const { playlist = '', manifest = playlist } = indexes;
  if (error instanceof UnreadableResource) return `${redactUrlAndFolder(playlist || manifest)} ${error.message}.`;
  // Damage of any other file is reported as a problem of the package.
  if (error instanceof MalformedFile) return `${redactUrlAndFolder(manifest)} cannot be read: ${error.message}.`;
  if (error instanceof MediaError || error instanceof SettingError) return error.message;
  throw error;
}

let folder: string | undefined;
try {
  const config = readConfig(process.env);
  folder = await mkdtemp(join(config.scratchDir, 'holdfast-inspect-'));
  process.stdout.write(JSON.stringify(await report(config, folder)));
} catch (error) {
  if (!stop.signal.aborted) process.stdout.write(JSON.stringify({ refusal: refusalOf(error) }));
} finally {
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}
