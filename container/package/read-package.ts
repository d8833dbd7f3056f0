import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Fragment, type InitFacts, readFragments, readInit } from './fragment.ts';
import {
  type MediaPlaylist,
  parseMaster,
  parseMediaPlaylist,
  type PlaylistSegment,
  type Resource,
} from './media-playlist.ts';
import { manifestName, masterName, partNames } from './packager-arguments.ts';
import type { PackagePart, PackagePlan } from './plan-package.ts';

/** One segment, as its playlist says it and as its file is. */
export interface ReadSegment extends PlaylistSegment {
  bytes: number;
  fragments: Fragment[];
}

/** One part of a package, read from its files. */
export interface ReadPart {
  part: Pick<PackagePart, 'kind' | 'name'>;
  /** Of its playlist. */
  main: string;
  playlist: MediaPlaylist;
  keyFrames: MediaPlaylist | undefined;
  init: InitFacts;
  segments: ReadSegment[];
}

export interface ReadPackage {
  parts: ReadPart[];
  master: ReturnType<typeof parseMaster>;
  /** Of DASH, where it is wanted. */
  manifest: string | undefined;
}

/** Reads playlists, and of every segment what it says of its times. Throws where a file is missing, or is no fragmented MP4. */
export async function readPackage(
  plan: PackagePlan,
  folder: string,
  signal: AbortSignal,
  advance: () => void,
): Promise<ReadPackage> {
  const parts: ReadPart[] = [];
  for (const { kind, name } of plan.parts) {
    const { main, keyFrames } = partNames({ kind, name }, plan.layout);
    const playlist = parseMediaPlaylist(await readFile(join(folder, main), 'utf8'));
    if (playlist.init === undefined) throw new Error(`${main} names no init segment`);
    const base = dirname(join(folder, main));
    const init = readInit(await readResource(base, playlist.init));
    const segments: ReadSegment[] = [];
    for (const segment of playlist.segments) {
      signal.throwIfAborted();
      const bytes = await readResource(base, segment);
      segments.push({ ...segment, bytes: bytes.length, fragments: readFragments(bytes, init) });
      advance();
    }
    const ofKeyFrames =
      keyFrames === undefined ? undefined : parseMediaPlaylist(await readFile(join(folder, keyFrames), 'utf8'));
    parts.push({ part: { kind, name }, main, playlist, keyFrames: ofKeyFrames, init, segments });
  }
  const master = parseMaster(await readFile(join(folder, masterName), 'utf8'));
  const manifest = plan.kinds.includes('dash') ? await readFile(join(folder, manifestName), 'utf8') : undefined;
  return { parts, master, manifest };
}

async function readResource(base: string, { uri, range }: Resource): Promise<Buffer> {
  const path = join(base, uri);
  if (range === undefined) return await readFile(path);
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(range.length);
    const { bytesRead } = await file.read(buffer, 0, range.length, range.offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
