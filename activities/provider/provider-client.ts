import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { Provider } from '../../contract/provider.ts';
import { CallFailed } from './call-failed.ts';
import { errorAnswer } from './error-answer.ts';
import { multipart } from './multipart.ts';
import type { Stored } from '../storage/storage.ts';

/** A machine that is up takes a connection at once. */
const connectTimeoutMs = 10_000;
/** A minute of speech is some kilobytes; this is where an answer is no answer any more. */
export const maxAnswerBytes = 16 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
/** Of what goes into the history, once for each attempt. */
const maxMessageLength = 500;
const maxTypeLength = 100;

// The call's own time limit decides, so undici's are off. No keep-alive that outlives a provider's own: a closed one would look like a failed call.
const agent = new Agent({
  connect: { timeout: connectTimeoutMs },
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: 4_000,
  allowH2: false,
});

export interface AudioFile extends Stored {
  name: string;
  contentType: string;
}

/** One POST, as the provider's kind has it; the audio streams through. Gives the JSON of a success, and throws CallFailed for all else. */
export async function callProvider(
  { provider, secret, model }: { provider: Provider; secret: string | undefined; model: string },
  audio: AudioFile,
  signal: AbortSignal,
): Promise<unknown> {
  const { contentType, length, body } = requestBody(provider, model, audio);
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': contentType,
    'content-length': String(length),
    ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
  };
  let answer: Dispatcher.ResponseData;
  let text: string;
  try {
    answer = await request(provider.url, { method: 'POST', headers, body, signal, dispatcher: agent });
    const isSuccess = answer.statusCode >= 200 && answer.statusCode < 300;
    text = await textOf(answer, isSuccess ? maxAnswerBytes : maxErrorBytes, isSuccess);
  } catch (error) {
    if (error instanceof CallFailed || signal.aborted) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    // Errors of the chunk's own stream have no code of the network's and are told apart by whoever gave us the stream.
    const errno = typeof code === 'string' ? code : undefined;
    throw new CallFailed(
      `The provider cannot be reached${errno === undefined ? '' : ` (${errno})`}`,
      { kind: 'unreachable', ...(errno !== undefined && { errno }) },
      { cause: error },
    );
  }
  const status = answer.statusCode;
  if (status < 200 || status >= 300) {
    const { message, errorType, ...facts } = errorAnswer(status, answer.headers, text, Date.now());
    throw new CallFailed(shown(message, secret, maxMessageLength), {
      ...{ kind: 'answered', status, ...facts },
      ...(errorType !== undefined && { errorType: shown(errorType, secret, maxTypeLength) }),
    });
  }
  try {
    return JSON.parse(text);
  } catch {
    throw new CallFailed(`The provider answered ${status} with something that is not JSON`, { kind: 'unreadable' });
  }
}

function requestBody(provider: Provider, model: string, audio: AudioFile) {
  if (provider.kind === 'http')
    return { contentType: audio.contentType, length: audio.size, body: stream([], audio, []) };
  const fields: [string, string][] = [
    ['model', model],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'segment'],
  ];
  if (provider.language !== undefined) fields.push(['language', provider.language]);
  const form = multipart(`holdfast-${randomUUID()}`, fields, { field: 'file', ...audio });
  const length = form.head.length + audio.size + form.tail.length;
  return { contentType: form.contentType, length, body: stream([form.head], audio, [form.tail]) };
}

/** Destroyed with its request, and the chunk's own connection with it. */
function stream(head: Uint8Array[], audio: Stored, tail: Uint8Array[]): Readable {
  return Readable.from(sent(head, audio, tail), { objectMode: false });
}

async function* sent(head: Uint8Array[], audio: Stored, tail: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* audio.chunks;
  yield* tail;
}

/** The beginning of an error's text is enough. */
async function textOf(answer: Dispatcher.ResponseData, maxBytes: number, isSuccess: boolean): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size <= maxBytes) continue;
    if (!isSuccess) break;
    throw new CallFailed(`The provider's answer is larger than ${maxBytes} bytes`, { kind: 'unreadable' });
  }
  return Buffer.concat(parts).toString('utf8');
}

/** Some providers repeat what they refuse. Cut afterwards, since half a secret would not be found. */
function shown(text: string, secret: string | undefined, maxLength: number): string {
  return (secret === undefined ? text : text.replaceAll(secret, '…')).slice(0, maxLength);
}
