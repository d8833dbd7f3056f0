import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, request } from 'undici';
import { parseRelayedUrl, serverOfUrl, webdavAddress } from '../../contract/relayed-url.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { AddressNotAllowedError, type AllowedAddresses } from '../../network/address-guard.ts';
import { compressionOf } from '../../network/compression.ts';
import { guardedConnector } from '../../network/guarded-connector.ts';
import type { Logins } from '../logins/logins.ts';
import type { WebdavLogin } from '../logins/parse-logins.ts';
import { LoginFailed, RangeOutsideFile, StorageError, UnusableFile } from '../store-error.ts';
import type { RelayedContent, RelayedFile, RelayedStore } from '../store.ts';

/** How long a server may take to answer. */
interface AnswerTimeouts {
  /** Limit of requests that store nothing, which a healthy server answers at once. */
  usualMs: number;
  /** Limit of PUT, after the last byte, and MOVE. Some servers first copy the whole file to another disk. */
  storingMs: number;
}

/** `storingMs` is the default of the container's UPLOAD_ANSWER_TIMEOUT_SECONDS. */
const usualTimeouts: AnswerTimeouts = { usualMs: 60_000, storingMs: 300_000 };
/** A connection without a byte for this long is dead. */
const idleTimeoutMs = 60_000;
/** A server that is under load notices later that a PUT was cut, and may then keep the bytes that it has. */
const cutNoticedMs = 2_000;

type Answer = Dispatcher.ResponseData;

interface Asked {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'MKCOL' | 'MOVE';
  headers?: Record<string, string>;
  body?: Readable;
  headersTimeout?: number;
}

/** WebDAV (RFC 4918) with Basic or Bearer authentication. */
export function openWebdavStore(
  logins: Logins,
  allowed: AllowedAddresses,
  { usualMs, storingMs } = usualTimeouts,
): RelayedStore {
  const dispatcher = new Agent({
    connect: guardedConnector(allowed),
    headersTimeout: usualMs,
    bodyTimeout: idleTimeoutMs,
  });

  /** `address`: HTTP URL of the file itself, or of a temporary name beside it. */
  const ask = async (url: string, address: string, asked: Asked, signal: AbortSignal): Promise<Answer> => {
    const authorization = authorizationOf(await logins.webdav(url));
    const headers = { 'user-agent': 'holdfast', ...asked.headers, authorization };
    try {
      return await request(address, { ...asked, headers, dispatcher, signal, body: asked.body ?? null });
    } catch (error) {
      signal.throwIfAborted();
      throw connectionError(url, error);
    }
  };
  const finish = async (answer: Answer): Promise<number> => {
    await answer.body.dump();
    return answer.statusCode;
  };

  /** Creates the folder and those above it. Other failures show when the file is stored. */
  const makeFolder = async (url: string, folder: URL, signal: AbortSignal): Promise<void> => {
    if (folder.pathname === '/') return;
    const make = async () => await finish(await ask(url, folder.href, { method: 'MKCOL' }, signal));
    const isWithoutParent = [404, 409].includes(await make());
    if (!isWithoutParent) return;
    await makeFolder(url, new URL('..', folder), signal);
    await make();
  };

  /** Removes an unfinished upload, even if its caller has left. */
  const discard = async (url: string, aside: string): Promise<void> => {
    const cleaning = ask(url, aside, { method: 'DELETE' }, AbortSignal.timeout(idleTimeoutMs));
    await cleaning.then(finish).catch(() => undefined);
  };

  return {
    kind: 'relayed',

    async requireLogin(url) {
      await logins.webdav(url);
    },

    async check(url, signal) {
      const status = await finish(await ask(url, addressOf(url), { method: 'HEAD' }, signal));
      if (status === 401 || status === 403 || isPassing(status)) throw answerError(url, status);
    },

    async read(url, signal, range) {
      const headers = {
        'accept-encoding': 'identity',
        ...(range !== undefined && { range: `bytes=${range.start}-${range.end ?? ''}` }),
        ...(range?.version !== undefined && { 'if-range': range.version }),
      };
      const answer = await ask(url, addressOf(url), { method: 'GET', headers }, signal);
      const { statusCode: status } = answer;
      if (status === 200 || status === 206) return fileOf(url, answer);
      await answer.body.dump();
      if (status === 416) throw new RangeOutsideFile(undefined);
      throw answerError(url, status);
    },

    async write(url, { size, parts, contentType }, signal) {
      const address = addressOf(url);
      // The name of the file itself may be as long as the server allows.
      const aside = new URL(`.holdfast-${randomUUID()}`, address).href;
      await makeFolder(url, new URL('.', address), signal);
      let isAnswered = false;
      try {
        const headers = {
          'content-length': String(size),
          ...(contentType !== undefined && { 'content-type': contentType }),
        };
        const lateErrors: unknown[] = [];
        const body = Readable.from(keepLateErrors(parts, size, lateErrors), { objectMode: false });
        const putting = { method: 'PUT', headers, body, headersTimeout: storingMs } as const;
        const put = await finish(await ask(url, aside, putting, signal));
        isAnswered = true;
        if (!isDone(put)) throw answerError(url, put);
        // The success of a proxy that answers by itself says nothing about the store. undici does not read an empty body.
        if (size > 0 && !body.readableEnded)
          throw new StorageError(`${serverOfUrl(url)} answered before it had every byte`, true);
        if (lateErrors.length > 0) throw lateErrors[0];
        const destination = { destination: address, overwrite: 'T' };
        const moving = { method: 'MOVE', headers: destination, headersTimeout: storingMs } as const;
        const moved = await finish(await ask(url, aside, moving, signal));
        if (!isDone(moved)) throw answerError(url, moved);
      } catch (error) {
        await discard(url, aside);
        // This DELETE may have overtaken the end of the PUT.
        if (!isAnswered) void delay(cutNoticedMs, undefined, { ref: false }).then(() => discard(url, aside));
        throw error;
      }
    },

    async remove(url, signal) {
      const status = await finish(await ask(url, addressOf(url), { method: 'DELETE' }, signal));
      const isGone = isDone(status) || status === 404 || status === 410;
      if (!isGone) throw answerError(url, status);
    },
  };
}

/**
 * Passes all parts on. An error after the last byte goes to `lateErrors` instead: it would cut a PUT that is complete,
 * which the server may store after the DELETE that follows.
 */
async function* keepLateErrors(
  parts: RelayedContent['parts'],
  size: number,
  lateErrors: unknown[],
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const part of parts) {
      sent += part.length;
      yield part;
    }
  } catch (error) {
    if (sent < size) throw error;
    lateErrors.push(error);
  }
}

function addressOf(url: string): string {
  const place = parseRelayedUrl(url);
  if (place === undefined) throw new TypeError(`Not the URL of a file at a store: ${url}`);
  return webdavAddress(place);
}

function authorizationOf(login: WebdavLogin): string {
  if ('token' in login) return `Bearer ${login.token}`;
  return `Basic ${Buffer.from(`${login.user}:${login.password}`, 'utf8').toString('base64')}`;
}

function fileOf(url: string, { headers, body, statusCode }: Answer): RelayedFile {
  const [length, contentRange] = [Number(headers['content-length']), String(headers['content-range'] ?? '')];
  const [, start, end, total] = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(contentRange) ?? [];
  const isPart = statusCode === 206;
  const size = isPart ? Number(total) : length;
  const announced = isPart ? Number(end) - Number(start) + 1 : size;
  const problem = bodyProblem({ size, announced, length, compression: compressionOf(headers['content-encoding']) });
  if (problem !== undefined) {
    // Without a listener, undici's error would end the process.
    body.on('error', () => undefined).destroy();
    throw new StorageError(`${serverOfUrl(url)} ${problem}`, true);
  }
  const { etag, 'last-modified': modified } = headers;
  return {
    size,
    range: isPart ? { start: Number(start), end: Number(end) } : undefined,
    content: body,
    etag: typeof etag === 'string' ? etag : undefined,
    modified: typeof modified === 'string' ? modified : undefined,
  };
}

interface BodyFacts {
  /** Size of the file. */
  size: number;
  /** Bytes of the range, or of the file. */
  announced: number;
  /** Content-Length */
  length: number;
  compression: string | undefined;
}

function bodyProblem({ size, announced, length, compression }: BodyFacts): string | undefined {
  if (!Number.isSafeInteger(size)) return 'does not report the length of the file';
  // A container would take the bytes after the range for the answer to its next request.
  if (announced !== length) return 'sends a range of another length than it reports';
  return compression === undefined ? undefined : 'compresses the file, although the request asked for the plain file';
}

/** 207 lists what failed (RFC 4918, 9.6.1 and 9.9.4). */
function isDone(status: number): boolean {
  return status >= 200 && status < 300 && status !== 207;
}

/** A failure in the list of a 207 may be a lock, as 423 is. */
function isPassing(status: number): boolean {
  return status >= 500 ? status !== 501 && status !== 507 : [207, 408, 423, 425, 429].includes(status);
}

function answerError(url: string, status: number): StorageError {
  const server = serverOfUrl(url);
  if (status === 401) return new LoginFailed(`${server} refuses the login of STORE_LOGINS_FILE (HTTP 401)`);
  const message = `${server} answered ${status}`;
  return status === 404 || status === 410 ? new UnusableFile(message) : new StorageError(message, isPassing(status));
}

function connectionError(url: string, error: unknown): StorageError {
  if (error instanceof StorageError) return error;
  const server = serverOfUrl(url);
  if (error instanceof AddressNotAllowedError) return new LoginFailed(`${server} is refused: ${error.message}`);
  const errno = errnoOf(error);
  const untrusted = untrustedReason(errno);
  if (untrusted !== undefined) return new LoginFailed(`${server} cannot be trusted: ${untrusted}`, { cause: error });
  const reason = errno === undefined ? '' : ` (${errno})`;
  return new StorageError(`${server} cannot be reached${reason}`, true, { cause: error });
}
