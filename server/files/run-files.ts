import type { RunDetails } from '../../contract/server/run.ts';
import type { RunFile } from '../../contract/server/run-file.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { contentTypeOfFile } from './content-type.ts';
import type { MediaLinks } from './media-links.ts';
import { fileNameOfUpload, isUploadId } from './upload-name.ts';

interface NamedUrl {
  kind: RunFile['kind'];
  index?: number;
  url: unknown;
}

/** Links to the source of a run and, once it has ended well, to what it has made. Its chunks stay where they are: they may be thousands. */
export async function linkRunFiles(
  links: MediaLinks,
  input: unknown,
  result: RunDetails['result'] | undefined,
): Promise<RunFile[]> {
  const urls: NamedUrl[] = [
    { kind: 'source', url: isRecord(input) ? input['sourceUrl'] : undefined },
    ...(result === undefined ? [] : outputUrls(input, result)),
  ];
  const files = await Promise.all(urls.map((named) => linkFile(links, named)));
  return files.filter((file) => file !== undefined);
}

/** Of an encode the input has them, and of the others the result. */
function outputUrls(input: unknown, result: NonNullable<RunDetails['result']>): NamedUrl[] {
  if ('encoded' in result) {
    const urls = [result.encoded.url, ...Object.values(result.transcript ?? {}), result.chunksUrl];
    return urls.map((url, index) => ({ kind: 'output', index, url }));
  }
  if ('totalDuration' in result) return [{ kind: 'output', index: 0, url: result.chunksUrl }];
  const outputs = isRecord(input) && Array.isArray(input['outputs']) ? (input['outputs'] as unknown[]) : [];
  return outputs.map((output, index) => ({
    ...{ kind: 'output', index },
    url: isRecord(output) ? output['uploadUrl'] : undefined,
  }));
}

async function linkFile(links: MediaLinks, { url, ...place }: NamedUrl): Promise<RunFile | undefined> {
  if (typeof url !== 'string' || !url.startsWith('file:')) return undefined;
  const linked = await links.link(url);
  if (linked === undefined) return undefined;
  const name = savedName(linked.path);
  const { bytes, url: link, expiresAt } = linked;
  return { ...place, name, contentType: contentTypeOfFile(name), bytes, url: link, expiresAt };
}

/** By which a browser saves it. */
export function savedName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return isUploadId(name) ? fileNameOfUpload(name) : name;
}
