import { pathToFileURL } from 'node:url';
import type { EncodedOutput } from '../../contract/http/output.ts';
import type { RunDetails } from '../../contract/server/run.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { isFileUrl } from '../../contract/url-scheme.ts';
import type { Caller } from '../access/caller.ts';
import type { RunTickets } from '../access/run-tickets.ts';
import { needsSigning } from '../../stores/backends.ts';
import type { BucketLinks } from '../buckets/bucket-links.ts';
import { contentTypeOfFile } from './content-type.ts';
import type { MediaLinks } from './media-links.ts';
import type { TranscriptVersion, TranscriptVersions } from './transcript-versions.ts';
import { savedName } from './upload-name.ts';

export interface EndedRun {
  id: string;
  runId: string;
  input: unknown;
  result: RunDetails['result'] | undefined;
}

interface NamedUrl {
  kind: RunFile['kind'];
  index?: number;
  url: unknown;
}

export interface FileLinks {
  media: MediaLinks | undefined;
  buckets: BucketLinks | undefined;
  transcripts: TranscriptVersions | undefined;
  /** Tickets for zips. */
  tickets: RunTickets;
}

/**
 * Links to the source of a run and, after its success, to its outputs and the corrected transcript. Chunks have no links: there may be thousands.
 * `until`: seconds since 1970 at which the links end.
 */
export async function linkRunFiles(
  links: FileLinks,
  { runId, input, result, until }: Pick<EndedRun, 'runId' | 'input' | 'result'> & { until?: number },
  caller: Pick<Caller, 'owner'>,
): Promise<RunFile[]> {
  const urls: NamedUrl[] = [
    { kind: 'source', url: isRecord(input) ? input['sourceUrl'] : undefined },
    ...(result === undefined ? [] : outputUrls(input, result)),
  ];
  const outputs = result !== undefined && 'outputs' in result ? result.outputs : [];
  const files = await Promise.all([
    ...urls.map((named) => linkFile(links, named, caller, until)),
    ...outputs.map((output, index) =>
      linkFolderFiles(links, { index, url: prefixOf(outputsOf(input)[index]), output, until }),
    ),
    hasTranscript(result) ? linkLatest(links, runId, until) : undefined,
  ]);
  return files.flat().filter((file) => file !== undefined);
}

export function hasTranscript(result: RunDetails['result']): boolean {
  return result !== undefined && 'transcript' in result && result.transcript !== undefined;
}

async function linkLatest(links: FileLinks, runId: string, until: number | undefined): Promise<RunFile | undefined> {
  const latest = await links.transcripts?.latest(runId);
  return latest && (await linkCorrection(links, latest, until));
}

/** Undefined if the version was removed in the meantime. */
export async function linkCorrection(
  links: FileLinks,
  { version, path }: TranscriptVersion,
  until?: number,
): Promise<RunFile | undefined> {
  const named: NamedUrl = { kind: 'correction', url: pathToFileURL(path).href };
  const file = await linkFile(links, named, { owner: undefined }, until);
  return file && { ...file, version };
}

export function outputsOf(input: unknown): unknown[] {
  return isRecord(input) && Array.isArray(input['outputs']) ? input['outputs'] : [];
}

export function prefixOf(output: unknown): unknown {
  return isRecord(output) ? output['uploadUrlPrefix'] : undefined;
}

/** Links to the files of an output with several. A package may have thousands, so only its entry playlists are linked. */
async function linkFolderFiles(
  links: FileLinks,
  { index, url, output, until }: { index: number; url: unknown; output: EncodedOutput; until: number | undefined },
): Promise<(RunFile | undefined)[]> {
  const { files = [] } = output;
  if (typeof url !== 'string') return [];
  const entries = files.filter(({ name }) => name === 'master.m3u8' || name === 'manifest.mpd');
  if (needsSigning(url)) {
    // The playlists of a package would refer to unsigned files.
    if (entries.length > 0) return [];
    return await Promise.all(
      files.map(async ({ name, size }) => {
        const linked = await links.buckets?.linkOutput(url + name, until);
        return linked && { kind: 'output' as const, index, ...linked, name, bytes: size };
      }),
    );
  }
  const folder = isFileUrl(url) ? await links.media?.linkFolder(url, Date.now(), until) : undefined;
  if (folder === undefined) return [];
  const { expiresAt } = folder;
  return (entries.length > 0 ? entries : files).map(({ name, size }) => {
    const facts = { kind: 'output', index, name, contentType: contentTypeOfFile(name), bytes: size } as const;
    return { ...facts, url: folder.urlOf(name), expiresAt };
  });
}

/** The input has the URLs of an encode's outputs. The result has all other URLs. */
function outputUrls(input: unknown, result: NonNullable<RunDetails['result']>): NamedUrl[] {
  if ('encoded' in result) {
    const urls = [result.encoded.url, ...Object.values(result.transcript ?? {}), result.chunksUrl];
    return urls.map((url, index) => ({ kind: 'output', index, url }));
  }
  if ('totalDuration' in result) return [{ kind: 'output', index: 0, url: result.chunksUrl }];
  const outputs = outputsOf(input).map((output, index): NamedUrl => ({
    kind: 'output',
    index,
    url: isRecord(output) && result.outputs[index]?.leftOut === undefined ? output['uploadUrl'] : undefined,
  }));
  const transcript = Object.values(result.transcript ?? {}).map((url): NamedUrl => ({ kind: 'output', url }));
  return [...outputs, ...transcript];
}

async function linkFile(
  links: FileLinks,
  named: NamedUrl,
  caller: Pick<Caller, 'owner'>,
  until: number | undefined,
): Promise<RunFile | undefined> {
  const { url, ...place } = named;
  if (typeof url !== 'string') return undefined;
  if (needsSigning(url)) {
    const linked =
      place.kind === 'source' ? links.buckets?.linkSource(url, caller) : links.buckets?.linkOutput(url, until);
    const [found, bytes] = await Promise.all([linked, links.buckets?.sizeOf(url)]);
    return found === undefined || bytes === undefined ? undefined : { ...place, ...found, bytes };
  }
  const linked = isFileUrl(url) ? await links.media?.link(url, Date.now(), until) : undefined;
  if (linked === undefined) return undefined;
  const name = savedName(linked.path);
  const { bytes, url: link, expiresAt } = linked;
  return { ...place, name, contentType: contentTypeOfFile(name), bytes, url: link, expiresAt };
}
