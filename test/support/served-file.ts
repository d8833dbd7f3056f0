import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { answerWith, type Reply } from '../container/transfer/ranged-source.ts';
import type { Encodes } from './encodes.ts';

/** A source that a server with ranges serves. */
export interface ServedFile {
  sourceUrl: string;
  /** Bytes of the file. */
  size: number;
  /** Ranges of the requests so far; `whole` is a request without one. */
  requests: string[];
}

/** Serves a file of the media root; a reply may differ from a correct server's. */
export async function serveFile(
  { file, media }: Pick<Encodes, 'file' | 'media'>,
  name: string,
  reply: (request: IncomingMessage, index: number) => Reply = () => ({}),
): Promise<ServedFile> {
  const body = await readFile(file(name));
  const requests: string[] = [];
  const sourceUrl = media.on(`GET /${name}`, (request, response) => {
    const index = requests.push(request.headers.range ?? 'whole') - 1;
    answerWith({ body, ...reply(request, index) }, request, response);
  });
  return { sourceUrl, size: body.length, requests };
}
