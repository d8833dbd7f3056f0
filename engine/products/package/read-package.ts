import { readBoxes } from '../../formats/isobmff/box.ts';
import { MalformedFile } from '../../formats/malformed-file.ts';
import { type Fragment, type InitTrack, readFragments, readInit } from './fragment.ts';
import { type Manifest, parseManifest, readSegmentIndex } from './manifest.ts';
import {
  type MasterPlaylist,
  type MediaPlaylist,
  parseMaster,
  parseMediaPlaylist,
  type PlaylistSegment,
  type Resource,
} from './media-playlist.ts';
import { UnreadableResource } from './unreadable-resource.ts';

/** A segment as its playlist and its file describe it. */
export interface ReadSegment extends PlaylistSegment {
  bytes: number;
  fragments: Fragment[];
}

/** One choice of a package, read from its files. */
export interface ReadPart {
  part: { kind: 'video' | 'audio'; name: string };
  /** URL of its playlist; for a manifest alone, the representation's id. */
  main: string;
  playlist: MediaPlaylist;
  keyFrames: MediaPlaylist | undefined;
  /** Tracks of the init segment; empty where it was not read. */
  tracks: InitTrack[];
  segments: ReadSegment[];
  /** What could not be read, each as a sentence. */
  faults: string[];
  /** Why its segments were not read, as the rest of a sentence. */
  unread: string | undefined;
}

export interface ReadPackage {
  parts: ReadPart[];
  /** Undefined where only a media playlist or a manifest was read. */
  master: MasterPlaylist | undefined;
  /** DASH only. */
  manifest: Manifest | undefined;
}

/** Reads files of a package from a folder or a server. */
export interface PackageReader {
  /** Throws an UnreadableResource. */
  read(resource: Resource): Promise<Buffer>;
  /** Returns what is wrong with the pictures and the sound of a segment, as the rest of a sentence. */
  decode?(
    segment: Buffer,
    init: Buffer,
    facts: { tracks: InitTrack[]; fragments: Fragment[] },
  ): Promise<string | undefined>;
  signal: AbortSignal;
  advance(): void;
}

/** URLs of a package's indexes. */
export interface PackageIndexes {
  /** A master playlist, or a media playlist. */
  playlist?: string | undefined;
  manifest?: string | undefined;
}

/** Reads the indexes and the times in every segment. Throws if an index cannot be read. */
export async function readPackage(indexes: PackageIndexes, reader: PackageReader): Promise<ReadPackage> {
  const { playlist, manifest: manifestUrl } = indexes;
  const manifest = manifestUrl === undefined ? undefined : await readManifest(manifestUrl, reader);
  if (playlist === undefined) {
    const parts: ReadPart[] = [];
    for (const { id, listing } of manifest?.representations ?? []) {
      parts.push(await readPart({ main: id, name: `representation ${id}`, playlist: listing }, reader));
    }
    return { parts, master: undefined, manifest };
  }
  const text = await readText(playlist, reader);
  if (!text.startsWith('#EXTM3U')) throw new UnreadableResource('is not an HLS playlist');
  if (!/^#EXT-X-(?:STREAM-INF|I-FRAME-STREAM-INF|MEDIA):/m.test(text)) {
    const read = await readPart(
      { main: playlist, name: nameOf(playlist, playlist), playlist: parseMediaPlaylist(text, playlist) },
      reader,
    );
    return { parts: [read], master: undefined, manifest };
  }
  const master = parseMaster(text, playlist);
  return { parts: await readOffered(master, playlist, reader), master, manifest };
}

/** Reads everything that a master playlist offers, each once, with its playlist of key frames. */
async function readOffered(
  { variants, sounds }: MasterPlaylist,
  url: string,
  reader: PackageReader,
): Promise<ReadPart[]> {
  const keyFrames: MediaPlaylist[] = [];
  for (const { uri } of variants.filter(({ isOfKeyFrames }) => isOfKeyFrames)) {
    keyFrames.push(await readPlaylist(uri, reader).catch(orNothing(emptyPlaylist)));
  }
  const offered = [...variants.filter(({ isOfKeyFrames }) => !isOfKeyFrames), ...sounds].map(({ uri }) => uri);
  const parts: ReadPart[] = [];
  for (const main of new Set(offered)) {
    const name = nameOf(main, url);
    try {
      const playlist = await readPlaylist(main, reader);
      const own = keyFrames.find(({ init }) => init !== undefined && isSame(init, playlist.init));
      parts.push({ ...(await readPart({ main, name, playlist }, reader)), keyFrames: own });
    } catch (error) {
      const fault = `${name}: its playlist ${messageOf(error)}`;
      parts.push({ ...emptyPart, part: { kind: 'video', name }, main, faults: [fault] });
    }
  }
  return parts;
}

const isSame = (one: Resource, other: Resource | undefined): boolean =>
  one.uri === other?.uri && one.range?.offset === other.range?.offset;

const emptyPlaylist: MediaPlaylist = {
  ...{ url: '', targetSeconds: undefined, init: undefined, segments: [], isEnded: true, isOfKeyFrames: true },
  ...{ encryption: undefined, isInterrupted: false },
};
const emptyPart: Omit<ReadPart, 'part' | 'main' | 'faults'> = {
  ...{ playlist: emptyPlaylist, keyFrames: undefined, tracks: [], segments: [], unread: 'its playlist cannot be read' },
};

/** `v720` of `v720/main.m3u8` and `v720.m3u8`. */
function nameOf(url: string, index: string): string {
  const base = new URL('.', index).href;
  const path = (url.startsWith(base) ? url.slice(base.length) : url).replace(/[?#].*$/s, '');
  return path.replace(/(?:\/main)?\.m3u8$/, '');
}

const readText = async (uri: string, reader: PackageReader): Promise<string> =>
  (await reader.read({ uri, range: undefined })).toString('utf8');

const readPlaylist = async (uri: string, reader: PackageReader): Promise<MediaPlaylist> =>
  parseMediaPlaylist(await readText(uri, reader), uri);

async function readManifest(url: string, reader: PackageReader): Promise<Manifest> {
  const manifest = parseManifest(await readText(url, reader), url);
  for (const { index, listing } of manifest.representations) {
    if (index === undefined) continue;
    const boxes = await reader.read(index).then(readBoxes).catch(orNothing([]));
    const sidx = boxes.find(({ type }) => type === 'sidx');
    listing.segments = sidx === undefined ? [] : readSegmentIndex(sidx.body, index);
  }
  return manifest;
}

/** Ignores an unreadable file: the check reports it elsewhere. */
const orNothing =
  <Nothing>(nothing: Nothing) =>
  (error: unknown): Nothing => {
    messageOf(error);
    return nothing;
  };

/** Fault of a file as the rest of a sentence; rethrows other errors. */
function messageOf(error: unknown): string {
  if (error instanceof UnreadableResource) return error.message;
  if (error instanceof MalformedFile) return `is no fragmented MP4 (${error.message})`;
  throw error;
}

/** Why segments of such a playlist are not read. */
function whyUnread({ encryption, isInterrupted, init }: MediaPlaylist): string | undefined {
  if (encryption === 'AES-128') return 'they are encrypted as a whole';
  if (init === undefined) return 'they are not fragmented MP4';
  return isInterrupted ? 'their times restart in the middle' : undefined;
}

/** Why its segments cannot be decoded, as the rest of a sentence. */
export function whyUndecoded({ playlist, tracks }: Pick<ReadPart, 'playlist' | 'tracks'>): string | undefined {
  const isEncrypted = playlist.encryption !== undefined || tracks.some((track) => track.isEncrypted);
  if (isEncrypted) return 'they are encrypted';
  // Each segment may need its own init segment.
  return playlist.isInterrupted ? 'their times restart in the middle' : undefined;
}

async function readPart(
  { main, name, playlist }: { main: string; name: string; playlist: MediaPlaylist },
  reader: PackageReader,
): Promise<ReadPart> {
  const { signal, advance, decode } = reader;
  const unread = whyUnread(playlist);
  const faults: string[] = [];
  const attempt = async <Result>(place: string, what: () => Promise<Result>): Promise<Result | undefined> => {
    try {
      return await what();
    } catch (error) {
      faults.push(`${name}: ${place} ${messageOf(error)}`);
      return undefined;
    }
  };
  const { init } = playlist;
  const initBytes = init && (await attempt('its init segment', () => reader.read(init)));
  const tracks =
    unread !== undefined || initBytes === undefined
      ? []
      : ((await attempt('its init segment', async () => readInit(initBytes))) ?? []);
  const segments: ReadSegment[] = [];
  for (const [index, segment] of playlist.segments.entries()) {
    signal.throwIfAborted();
    const place = `segment ${index + 1}`;
    const bytes = await attempt(place, () => reader.read(segment));
    const fragments =
      bytes === undefined || tracks.length === 0
        ? []
        : ((await attempt(place, async () => readFragments(bytes, tracks))) ?? []);
    segments.push({ ...segment, bytes: bytes?.length ?? 0, fragments });
    if (bytes !== undefined && decode !== undefined && whyUndecoded({ playlist, tracks }) === undefined) {
      const problem = await decode(bytes, initBytes ?? Buffer.alloc(0), { tracks, fragments });
      if (problem !== undefined) faults.push(`${name}: ${place} ${problem}`);
    }
    advance();
  }
  const kind = tracks.length > 0 && tracks.every((track) => track.kind === 'audio') ? 'audio' : 'video';
  return { part: { kind, name }, main, playlist, keyFrames: undefined, tracks, segments, faults, unread };
}
