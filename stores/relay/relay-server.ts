import { once } from 'node:events';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { RunOfJob } from '../../contract/activity.ts';
import { messageOf } from '../../contract/unknown-values.ts';
import { createServer } from '../../network/http.ts';
import { keepAliveTimeoutMs } from '../../network/keep-alive.ts';
import { isLoopbackHost } from '../../network/loopback.ts';
import type { Stores } from '../backends.ts';
import type { RelayedContent, RelayedStore } from '../store.ts';
import { LoginFailed, RangeOutsideFile, StorageError, UnusableFile } from '../store-error.ts';
import { parseRange } from './byte-range.ts';
import { checkedBody } from './checked-body.ts';
import { DeadBuffers } from './dead-buffers.ts';
import { OpenRuns } from './open-runs.ts';
import type { RelayMethod, RelayUpload, RelayUrls } from './relay-urls.ts';

/** A job that is cancelled with its run removes what it has stored after the run's end. */
const removalGraceMs = 60_000;

export interface RelayOptions {
  stores: Pick<Stores, 'at'>;
  urls: RelayUrls;
  /** Whether the run is open, or has ended less than `graceMs` ago. Rejects if that is unknown. */
  isOpen(run: RunOfJob, graceMs: number): Promise<boolean>;
  warn(facts: object, sentence: string): void;
  /** The relay closes a connection on which no byte moves for this long, except while a store ends an upload. */
  idleTimeoutMs?: number;
}

/** A job whose run has ended cleans up by these requests. */
const removals: ReadonlySet<RelayMethod> = new Set(['delete', 'abort']);

export interface Relay {
  /** Accepts no further requests, and cuts the transfers that have not ended after `graceMs`. */
  stop(graceMs: number): Promise<void>;
}

/**
 * Streams between containers and stores that sign nothing. A request needs a URL that `urls` signed. A relay at a loopback
 * address listens only there. Rejects if the port is not available.
 */
export async function startRelay(address: string, port: number, options: RelayOptions): Promise<Relay> {
  const runs = new OpenRuns(options);
  const buffers = new DeadBuffers();
  const server = createServer((request, response) => {
    const end = buffers.begin();
    response.once('close', () => {
      end();
      // A container must not send its next request to a relay that ends.
      if (!server.listening) setImmediate(() => server.closeIdleConnections());
    });
    void answer(request, response, runs, options);
  });
  server.keepAliveTimeout = keepAliveTimeoutMs;
  // A large file may take hours.
  server.requestTimeout = 0;
  server.setTimeout(options.idleTimeoutMs ?? 120_000);
  const { hostname } = new URL(address);
  server.listen(port, isLoopbackHost(hostname) ? hostname.replaceAll(/^\[|\]$/g, '') : undefined);
  await once(server, 'listening');
  // The process may be out of file descriptors for a moment, which must not end its other work.
  server.on('error', ({ message }) => options.warn({ error: message }, 'The relay could not accept a connection'));
  return { stop: async (graceMs) => await stop(server, graceMs) };
}

async function stop(server: Server, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearTimeout(cut);
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  runs: OpenRuns,
  options: RelayOptions,
): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort());
  const opened = options.urls.open(request.url ?? '', request.method ?? '');
  // The code makes a run sign again: the worker that signed may have restarted with another key.
  if (opened === undefined) return refuse(response, 403, 'InvalidToken');
  const { method, url, run, isExpired, upload } = opened;
  // While Temporal does not answer, jobs must still deliver: until their URLs expire, all runs count as open.
  const mayUse = async (graceMs: number): Promise<boolean> => (await runs.isOpen(run, graceMs)) ?? !isExpired;
  if (!(await mayUse(removals.has(method) ? removalGraceMs : 0))) return refuse(response, 403, 'ExpiredToken');
  try {
    const store = await options.stores.at(url);
    if (store?.kind !== 'relayed') return refuse(response, 403, 'AccessDenied');
    const isWanted = async (): Promise<boolean> => await mayUse(0);
    const exchange = { store, url, request, response, isWanted, signal: left.signal };
    await serve(method, upload, exchange);
  } catch (error) {
    if (left.signal.aborted) return;
    options.warn({ url, method, error: messageOf(error) }, 'The relay could not serve a request');
    // A container must notice that its answer is incomplete.
    if (response.headersSent) response.destroy();
    else refuseFor(response, error, upload === undefined ? 'NoSuchKey' : 'NoSuchUpload');
  }
}

interface Exchange {
  store: RelayedStore;
  url: string;
  request: IncomingMessage;
  response: ServerResponse;
  /** Whether the run of the URL is still open. */
  isWanted(): Promise<boolean>;
  /** Aborted when the container has disconnected. */
  signal: AbortSignal;
}

async function serve(method: RelayMethod, upload: RelayUpload | undefined, exchange: Exchange): Promise<void> {
  switch (method) {
    case 'get':
      return await send(exchange);
    case 'put':
      return await keep(exchange);
    case 'delete': {
      const { store, url, response, signal } = exchange;
      await store.remove(url, signal);
      response.writeHead(204).end();
      return;
    }
    case 'part':
    case 'complete':
    case 'abort':
      await serveUpload(method, upload, exchange);
  }
}

/** Serves the requests of an upload in parts, which are those of S3. */
async function serveUpload(
  method: 'part' | 'complete' | 'abort',
  upload: RelayUpload | undefined,
  exchange: Exchange,
): Promise<void> {
  const { store, url, request, response, signal } = exchange;
  const { parts } = store;
  if (upload === undefined || parts === undefined) return refuse(response, 403, 'AccessDenied');
  const { id, bytes } = upload;
  switch (method) {
    case 'part': {
      const content = contentOf(exchange);
      if (content === undefined) return;
      await parts.write(url, id, bytes, content, signal);
      // S3 joins parts by their ETags. A part of this upload is already in its place.
      response.writeHead(200, { etag: `"${bytes}"` }).end();
      return;
    }
    case 'complete':
      request.resume();
      await parts.complete(url, id, bytes, signal);
      response.writeHead(200, { 'content-type': 'application/xml' }).end('<CompleteMultipartUploadResult/>');
      return;
    case 'abort':
      await parts.abort(url, id, signal);
      response.writeHead(204).end();
  }
}

async function send({ store, url, request, response, signal }: Exchange): Promise<void> {
  const wanted = parseRange(request.headers.range, header(request, 'if-range'));
  const file = await store.read(url, signal, wanted);
  const { range, size } = file;
  response.writeHead(range === undefined ? 200 : 206, {
    'accept-ranges': 'bytes',
    'cache-control': 'no-store',
    'content-type': 'application/octet-stream',
    'content-length': range === undefined ? size : range.end - range.start + 1,
    ...(range !== undefined && { 'content-range': `bytes ${range.start}-${range.end}/${size}` }),
    ...(file.etag !== undefined && { etag: file.etag }),
    ...(file.modified !== undefined && { 'last-modified': file.modified }),
  });
  await pipeline(file.content, response);
}

async function keep(exchange: Exchange): Promise<void> {
  const content = contentOf(exchange);
  if (content === undefined) return;
  await exchange.store.write(exchange.url, content, exchange.signal);
  exchange.response.writeHead(200).end();
}

/** The body of a PUT, which is checked while it is read. Undefined if the request was refused. */
function contentOf({ request, response, isWanted }: Exchange): RelayedContent | undefined {
  const size = Number(request.headers['content-length'] ?? Number.NaN);
  if (!Number.isSafeInteger(size)) {
    refuse(response, 411, 'MissingContentLength');
    return undefined;
  }
  // The sender would take its range for the whole file (RFC 9110, 14.5).
  if (request.headers['content-range'] !== undefined) {
    refuse(response, 400, 'InvalidRequest');
    return undefined;
  }
  // The store has limits of its own for the end of a file. The next request of the connection gets the idle limit again.
  request.once('end', () => request.socket.setTimeout(0));
  // A store that refuses the rest must not end the connection: its reason is answered and logged.
  const body = request.iterator({ destroyOnReturn: false });
  const parts = checkedBody(body, { size, md5: header(request, 'content-md5'), isWanted });
  return { size, parts, contentType: request.headers['content-type'] };
}

function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** `missing`: code of a missing file. */
function refuseFor(response: ServerResponse, error: unknown, missing: string): void {
  if (error instanceof RangeOutsideFile) {
    if (error.size !== undefined) response.setHeader('content-range', `bytes */${error.size}`);
    return refuse(response, 416, 'InvalidRange');
  }
  if (error instanceof UnusableFile) return refuse(response, 404, missing);
  // A run that signs again logs in first, and then fails with the reason.
  if (error instanceof LoginFailed) return refuse(response, 403, 'InvalidAccessKeyId');
  if (error instanceof StorageError && !error.passing) return refuse(response, 403, 'AccessDenied');
  return refuse(response, 503, 'ServiceUnavailable');
}

/** The codes are those of S3, which containers know. */
function refuse(response: ServerResponse, status: number, code: string): void {
  // Otherwise the relay would have to read the rest of the body before the next request.
  response.writeHead(status, { 'content-type': 'application/xml', 'cache-control': 'no-store', connection: 'close' });
  response.end(`<Error><Code>${code}</Code></Error>`);
}
