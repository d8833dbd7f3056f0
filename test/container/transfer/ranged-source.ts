import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nothingAllowed, parseAllowedAddresses } from '../../../network/address-guard.ts';
import { downloadSource } from '../../../container/transfer/download.ts';
import { createMediaAgent } from '../../../container/transfer/http-agent.ts';
import type { DownloadOptions } from '../../../container/transfer/save-source.ts';
import { jobRoom } from '../../../container/transfer/scratch-room.ts';
import type { MediaServer } from '../../fixtures/media-server.ts';

export function createTestAgent(stallTimeoutSeconds = 1) {
  const parsed = parseAllowedAddresses('127.0.0.1');
  return createMediaAgent(parsed.kind === 'allowed' ? parsed.allowed : nothingAllowed, stallTimeoutSeconds);
}

export const etag = '"v1"';

export interface Reply {
  body?: Buffer;
  /** Overrides of the headers of a server that serves ranges. */
  headers?: Record<string, string | undefined>;
  status?: number;
  /** Bytes of the body after which the connection is reset. */
  cutAfter?: number;
  /** Bytes of the body after which the server is silent. */
  silentAfter?: number;
  ignoresRange?: boolean;
  mostBytes?: number;
  isChunked?: boolean;
  /** A wrong Content-Range for a range that begins at `from`. */
  contentRange?: (from: number) => string;
  /** A wrong validator that the server accepts. */
  matches?: string;
}

/** Answers as a correct server, except for the faults of `reply`. */
export function answerWith(reply: Reply, request: IncomingMessage, response: ServerResponse): void {
  const whole = reply.body ?? Buffer.alloc(0);
  const headers: Record<string, string | undefined> = { etag, 'accept-ranges': 'bytes', ...reply.headers };
  const [, from, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const validators = [headers['etag'], headers['last-modified'], reply.matches];
  const isRange =
    from !== undefined && reply.ignoresRange !== true && validators.includes(String(request.headers['if-range']));
  const begin = isRange ? Number(from) : 0;
  const asked = isRange && last !== '' ? Number(last) + 1 : whole.length;
  const end = Math.min(asked, isRange ? begin + (reply.mostBytes ?? Infinity) : Infinity);
  const part = whole.subarray(begin, end);
  const contentRange = reply.contentRange?.(begin) ?? `bytes ${begin}-${end - 1}/${whole.length}`;
  const range = isRange ? { 'content-range': contentRange } : {};
  const length = reply.isChunked === true ? {} : { 'content-length': String(part.length) };
  const all = Object.entries({ ...length, ...range, ...headers }).filter(([, value]) => value !== undefined);
  response.writeHead(reply.status ?? (isRange ? 206 : 200), Object.fromEntries(all) as Record<string, string>);
  const sent = reply.cutAfter ?? reply.silentAfter;
  if (sent === undefined) response.end(part);
  else response.write(part.subarray(0, sent), () => reply.cutAfter !== undefined && response.destroy());
}

export const makeContent = (bytes: number): Buffer => randomBytes(bytes);

export interface Fetched {
  bytes: Buffer;
  /** Headers of each request. */
  requests: IncomingHttpHeaders[];
}

let count = 0;

/** Downloads from a server that sends these replies in turn, and the last one from then on. */
export async function fetchFrom(
  media: MediaServer,
  replies: readonly Reply[] | ((request: IncomingMessage, index: number) => Reply),
  options: Partial<DownloadOptions> & Pick<DownloadOptions, 'dispatcher'>,
): Promise<Fetched> {
  count += 1;
  const requests: IncomingHttpHeaders[] = [];
  const url = media.on(`GET /ranged-${count}`, (request, response) => {
    const index = requests.push(request.headers) - 1;
    const reply =
      typeof replies === 'function' ? replies(request, index) : replies[Math.min(index, replies.length - 1)];
    answerWith(reply ?? {}, request, response);
  });
  return { ...(await fetchUrl(url, options)), requests };
}

export async function fetchUrl(
  url: string,
  options: Partial<DownloadOptions> & Pick<DownloadOptions, 'dispatcher'>,
): Promise<{ bytes: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-download-'));
  try {
    const target = join(folder, 'input');
    await downloadTo(target, url, options);
    return { bytes: await readFile(target) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

export async function downloadTo(
  target: string,
  url: string,
  options: Partial<DownloadOptions> & Pick<DownloadOptions, 'dispatcher'>,
): Promise<void> {
  await downloadSource(url, target, {
    ...{ mediaRoot: undefined, maxBytes: 1e9, connections: 1, room: jobRoom(async () => 1e12) },
    ...{ signal: new AbortController().signal, onProgress: () => {} },
    ...options,
  });
}

export function sha256Of(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
