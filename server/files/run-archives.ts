import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { EncodedOutput } from '../../contract/http/output.ts';
import type { RunArchive } from '../../contract/server/run-file.ts';
import { decodedPart } from '../../contract/url-part.ts';
import { isFileUrl } from '../../contract/url-scheme.ts';
import { needsSigning } from '../../stores/backends.ts';
import { ProblemError } from '../problem-error.ts';
import { expiryOf } from './media-links.ts';
import { type EndedRun, type FileLinks, outputsOf, prefixOf } from './run-files.ts';
import type { ZippedFile } from './zip.ts';

interface PackedOutput {
  index: number;
  /** Folder or prefix of the files. */
  url: string;
  files: NonNullable<EncodedOutput['files']>;
}

/** Links to zips, one for each output of several files. `until`: seconds since 1970. */
export async function linkRunArchives(links: FileLinks, run: EndedRun, until = expiryOf()): Promise<RunArchive[]> {
  const { tickets } = links;
  const archives = packedOutputs(run).map(async ({ index, url, files }): Promise<RunArchive | undefined> => {
    const isReadable = needsSigning(url) ? links.buckets?.mayLink(`${url}-`) : await links.media?.hasFolder(url);
    if (isReadable !== true) return undefined;
    const ticket = await tickets.issue({ id: run.id, runId: run.runId, output: index, exp: until });
    return {
      index,
      name: archiveName(url),
      files: files.length,
      url: `/media/zip/${ticket}`,
      expiresAt: new Date(until * 1000).toISOString(),
    };
  });
  return (await Promise.all(archives)).filter((archive) => archive !== undefined);
}

/** The files of one output. Throws `not_found` if they no longer exist. */
export async function openRunArchive(
  links: FileLinks,
  run: EndedRun,
  output: number | undefined,
): Promise<{ name: string; files: ZippedFile[] }> {
  const packed = packedOutputs(run).find(({ index }) => index === output);
  if (packed === undefined) throw new ProblemError('not_found', 'The run has no such output of several files.');
  const { url, files } = packed;
  const zipped = needsSigning(url) ? await objectsOf(links, packed) : await filesOf(links, packed);
  if (zipped.length === files.length) return { name: archiveName(url), files: zipped };
  throw new ProblemError('not_found', 'Files of the output no longer exist. Run it again to make them.');
}

function packedOutputs({ input, result }: EndedRun): PackedOutput[] {
  const outputs = result !== undefined && 'outputs' in result ? result.outputs : [];
  return outputs.flatMap(({ files = [] }, index) => {
    const url = prefixOf(outputsOf(input)[index]);
    const isServed = typeof url === 'string' && (needsSigning(url) || isFileUrl(url));
    return isServed && files.length > 1 ? [{ index, url, files }] : [];
  });
}

/** A later run may have replaced a file, so its length is read from the disk. */
async function filesOf({ media }: FileLinks, { url, files }: PackedOutput): Promise<ZippedFile[]> {
  const found = await Promise.all(
    files.map(async ({ name }) => {
      const file = await media?.findInFolder(url, name);
      return file && { name, bytes: file.bytes, open: async (signal: AbortSignal) => read(file, signal) };
    }),
  );
  return found.filter((file) => file !== undefined);
}

/** Reads no more than the length that was announced, even if the file grows. */
async function read({ path, bytes }: { path: string; bytes: number }, signal: AbortSignal): Promise<Readable> {
  return bytes === 0 ? Readable.from([]) : createReadStream(path, { signal, end: bytes - 1 });
}

/** A package has thousands of objects, so only the first one is checked before the zip begins. */
async function objectsOf({ buckets }: FileLinks, { url, files }: PackedOutput): Promise<ZippedFile[]> {
  const [first] = files;
  if (buckets === undefined || first === undefined) return [];
  if ((await buckets.sizeOf(url + first.name)) === undefined) return [];
  return files.map(({ name, size }) => ({
    name,
    bytes: size,
    open: async (signal) => {
      const stored = await buckets.read(url + name, signal);
      if (stored.size !== size) throw new Error(`${url}${name} has another length than when the run stored it`);
      return Readable.from(stored.content, { objectMode: false });
    },
  }));
}

/** `talk.zip` for the folder `talk/`. */
function archiveName(url: string): string {
  const folder = url.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return `${decodedPart(folder).replaceAll(/[/\\\p{Cc}]/gu, '-') || 'files'}.zip`;
}
