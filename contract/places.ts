import type { z } from 'zod';
import { pathOfFileUrl } from './file-url.ts';
import { parseRelayedUrl, serverOf, storeUrlOfRelayUrl, webdavAddress } from './relayed-url.ts';
import { splitQuery } from './signed-url.ts';
import { storeAddress } from './store-address.ts';
import { isHttpUrl } from './url-scheme.ts';

/** Place that a URL names, however the URL is signed or spelled. */
interface Place {
  /**
   * Path of a file, host and path of an `http:` URL, or the whole URL of another scheme. The same for
   * `bucket.store.test/key` and `store.test/bucket/key`.
   */
  path: string;
  /** The same if the first folder is no bucket, because the host names it: `bucket.store.test/v1.0/key`. */
  pathInBucket: string;
  /** Sorted parameters that may name the object; empty if an object store signed the URL. */
  query: string;
  /** Sorted parameters that name a part of an upload to the object. */
  part: string;
  /** An object store signed the URL: only its path names the object. */
  isSigned: boolean;
}

/** Parameters by which a URL names a part of an upload. */
const partParameters = /^(?:partnumber|uploadid|comp|blockid)$/i;

function placeOf(text: string): Place {
  const relayed = parseRelayedUrl(text);
  // A WebDAV server may serve the same file for an `https:` URL with any query.
  if (relayed !== undefined && relayed.scheme !== 'sftp') return { ...placeOf(webdavAddress(relayed)), isSigned: true };
  if (!isHttpUrl(text)) {
    const path = (relayed?.path ?? pathOfFileUrl(text))?.replaceAll(/\/{2,}/g, '/');
    return unsignedPlace(path === undefined ? text : (relayed === undefined ? '' : serverOf(relayed)) + path);
  }
  const url = new URL(text);
  const stored = storeUrlOfRelayUrl(url);
  if (stored !== undefined) return placeOf(stored);
  const { rest, isOfStore } = splitQuery(url.search);
  const { host, path } = storeAddress({ host: hostOf(url), path: resolved(decoded(url.pathname)) });
  const isPart = ([name]: [string, string]): boolean => partParameters.test(name);
  const store = `${url.port}:${reversed(host)}`;
  return {
    path: store + withReversedBucket(path),
    pathInBucket: store + path,
    query: isOfStore ? '' : joined(rest.filter((parameter) => !isPart(parameter))),
    part: joined(rest.filter(isPart)),
    isSigned: isOfStore,
  };
}

function unsignedPlace(path: string): Place {
  return { path, pathInBucket: path, query: '', part: '', isSigned: false };
}

/** Host, and one name for all addresses by which a machine reaches itself: a server usually listens on several. */
function hostOf({ hostname }: URL): string {
  const host = hostname.replace(/\.$/, '');
  return /^(?:127(?:\.\d+){3}|0\.0\.0\.0|\[::(?:1?|ffff:7f[0-9a-f]{2}:[0-9a-f]+)\])$/.test(host) ? 'localhost' : host;
}

function reversed(labels: string): string {
  return labels.split('.').toReversed().join('/');
}

/** A bucket whose name has dots is several labels of a host. */
function withReversedBucket(path: string): string {
  return path.replace(/^\/([^/]*)(?=\/)/, (_, bucket: string) => `/${reversed(bucket)}`);
}

/** Decodes bytes, because an escape need not be UTF-8. Many servers ignore repeated slashes, even some object stores. */
function decoded(path: string): string {
  return path
    .replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll(/\/{2,}/g, '/');
}

/** Resolves the dot segments that an escape had hidden, as many servers do. */
function resolved(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment !== '..' && segment !== '.') segments.push(segment);
    else if (segment === '..' && segments.length > 1) segments.pop();
  }
  return segments.join('/');
}

function joined(parameters: readonly [string, string][]): string {
  return parameters
    .map(([name, value]) => `?${name}=${value}`)
    .sort()
    .join('');
}

/** URLs of one object have one of these in common, whatever their queries. */
export function pathKeys(url: string): string[] {
  const { path, pathInBucket } = placeOf(url);
  return path === pathInBucket ? [path] : [path, pathInBucket];
}

/** Targets at one place have one of these in common. */
export function targetKeys(url: string): string[] {
  const { query, part } = placeOf(url);
  return pathKeys(url).map((path) => path + query + part);
}

/** A URL does not show whether its host or its first folder names the bucket. */
function isSamePath(one: Place, other: Place): boolean {
  return one.path === other.path || one.pathInBucket === other.path || one.path === other.pathInBucket;
}

/** Whether reading the one and writing the other may concern the same object. */
function isSameObject(one: Place, other: Place): boolean {
  return isSamePath(one, other) && (one.isSigned || other.isSigned || one.query === other.query);
}

/** Whether each upload has its own destination; of two uploads to one place, only the last would survive. */
export function haveOwnTargets(
  outputs: readonly { uploadUrl?: string | undefined; uploadUrlPrefix?: string | undefined }[],
): boolean {
  const places = outputs.flatMap(({ uploadUrl }) => (uploadUrl === undefined ? [] : targetKeys(uploadUrl)));
  const folders = outputs.flatMap(({ uploadUrlPrefix }) => uploadUrlPrefix ?? []).map(targetKeys);
  return (
    new Set(places).size === places.length &&
    folders.every(
      (folder, index) =>
        ![...places, ...folders.toSpliced(index, 1).flat()].some((place) =>
          folder.some((key) => place.startsWith(key)),
        ),
    )
  );
}

export const targetIssue = { error: 'must each have a different target' };

/** A file that a request reads. */
export interface InputFile {
  /** Field that names it, such as `outputs.0.cover`. */
  field: string;
  url: string;
}

/** A place that a request writes to. */
export interface TargetPlace {
  path: PropertyKey[];
  /** URL of a file, or of the folder in which files get these `names`. */
  url: string;
  names?: RegExp;
}

export function replacesInput(field: string): string {
  return `would replace the file that ${field} names`;
}

/** Returns a function that finds the field of the input whose file a target would replace. */
export function inputMatcher(
  inputs: readonly InputFile[],
): (target: Pick<TargetPlace, 'url' | 'names'>) => string | undefined {
  const places = inputs.map(({ field, url }) => ({ field, place: placeOf(url) }));
  return ({ url, names }) => {
    const target = placeOf(url);
    const isReplaced = (place: Place): boolean =>
      names === undefined ? isSameObject(place, target) : namesBelow(target, place).some((name) => names.test(name));
    return places.find(({ place }) => isReplaced(place))?.field;
  };
}

/** Refuses targets that are in the place of an input. */
export function checkInputsKept(
  inputs: readonly InputFile[],
  targets: readonly TargetPlace[],
  context: z.RefinementCtx,
): void {
  const inputAt = inputMatcher(inputs);
  for (const { path, ...target } of targets) {
    const field = inputAt(target);
    if (field !== undefined) context.addIssue({ code: 'custom', path, message: replacesInput(field) });
  }
}

/** Names of the place in the folder, in both styles of URLs; none if it is not in the folder. */
function namesBelow(folder: Place, place: Place): string[] {
  const pairs: [string, string][] = [
    [folder.path, place.path],
    [folder.path, place.pathInBucket],
    [folder.pathInBucket, place.path],
  ];
  return pairs.flatMap(([above, path]) => (path.startsWith(above) ? [path.slice(above.length)] : []));
}
