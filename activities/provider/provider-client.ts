import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent, type Dispatcher, request } from 'undici';
import type { Provider } from '../../contract/provider.ts';
import type { ProviderCall } from '../../contract/provider-call.ts';
import { untrustedReason } from '../../contract/tls-failure.ts';
import { errnoOf } from '../../contract/unknown-values.ts';
import { promptOf } from '../../contract/vocabulary.ts';
import { parseBoundedJson } from '../bounded-json.ts';
import { CallFailed } from './call-failed.ts';
import { readErrorAnswer } from './error-answer.ts';
import { frameFormData } from './form-data.ts';
import type { Stored } from '../../stores/store.ts';

/** A running host accepts a connection at once. */
const connectTimeoutMs = 10_000;
/** A minute's transcript takes kilobytes; larger bodies are not answers. */
export const maxAnswerBytes = 16 * 1024 * 1024;
const maxErrorBytes = 64 * 1024;
/** Both enter the workflow's history with each attempt. */
const maxMessageLength = 500;
const maxTypeLength = 100;

// The call has its own time limit, so undici's timeouts are off. A longer keep-alive would reuse connections that the
// provider has closed.
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

interface Asked extends Pick<ProviderCall, 'voices' | 'vocabulary' | 'translate'> {
  provider: Provider;
  model: string;
}

/** Sends the audio to the provider in one streamed POST. Returns the JSON of a success; throws CallFailed otherwise. */
export async function callProvider(
  call: Asked & { endpoint: string; secret: string | undefined },
  audio: AudioFile,
  signal: AbortSignal,
): Promise<unknown> {
  const { endpoint, secret } = call;
  const { contentType, length, body } = createBody(call, audio);
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
    answer = await request(endpoint, { method: 'POST', headers, body, signal, dispatcher: agent });
    const isSuccess = answer.statusCode >= 200 && answer.statusCode < 300;
    text = await readText(answer, isSuccess ? maxAnswerBytes : maxErrorBytes, isSuccess);
  } catch (error) {
    if (error instanceof CallFailed || signal.aborted) throw error;
    // This may be an error of the audio's stream, which the caller recognises.
    const errno = errnoOf(error);
    const untrusted = untrustedReason(errno);
    if (untrusted !== undefined)
      throw new CallFailed(`The provider is not trusted: ${untrusted}`, { kind: 'untrusted' }, { cause: error });
    throw new CallFailed(
      `The provider is unreachable${errno === undefined ? '' : ` (${errno})`}`,
      { kind: 'unreachable', ...(errno !== undefined && { errno }) },
      { cause: error },
    );
  }
  const status = answer.statusCode;
  if (status < 200 || status >= 300) {
    const { message, errorType, ...facts } = readErrorAnswer(status, answer.headers, text, Date.now());
    throw new CallFailed(redact(message, secret, maxMessageLength), {
      kind: 'answered',
      status,
      ...facts,
      ...(errorType !== undefined && { errorType: redact(errorType, secret, maxTypeLength) }),
    });
  }
  const json = parseBoundedJson(text);
  if (json !== undefined) return json;
  throw new CallFailed(`The provider answered ${status} with JSON that is invalid, too large or too deep`, {
    kind: 'unreadable',
  });
}

function createBody({ provider, model, voices, vocabulary, translate }: Asked, audio: AudioFile) {
  if (provider.kind === 'http')
    return { contentType: audio.contentType, length: audio.size, body: createStream([], audio, []) };
  const fields: [string, string][] = [
    ['model', model],
    ['response_format', 'verbose_json'],
  ];
  // OpenAI's translations know neither of these fields.
  if (translate !== true) {
    fields.push(['timestamp_granularities[]', 'segment'], ['timestamp_granularities[]', 'word']);
    if (provider.language !== undefined) fields.push(['language', provider.language]);
  }
  if (voices === true) fields.push(['include[]', 'voices']);
  if (vocabulary !== undefined) fields.push(['prompt', promptOf(vocabulary)]);
  const form = frameFormData(`holdfast-${randomUUID()}`, fields, { field: 'file', ...audio });
  const length = form.head.length + audio.size + form.tail.length;
  return { contentType: form.contentType, length, body: createStream([form.head], audio, [form.tail]) };
}

/** Undici destroys the stream with the request, which also closes the connection from which the chunk is read. */
function createStream(head: Uint8Array[], audio: Stored, tail: Uint8Array[]): Readable {
  return Readable.from(concatenate(head, audio, tail), { objectMode: false });
}

async function* concatenate(head: Uint8Array[], audio: Stored, tail: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* head;
  yield* audio.content;
  yield* tail;
}

/** Reads a body. The beginning of an error is enough. */
async function readText(answer: Dispatcher.ResponseData, maxBytes: number, isSuccess: boolean): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body as AsyncIterable<Uint8Array>) {
    parts.push(part);
    size += part.length;
    if (size <= maxBytes) continue;
    if (!isSuccess) break;
    throw new CallFailed(`The provider's answer is larger than ${maxBytes} bytes`, { kind: 'unreadable' });
  }
  // Some servers begin with a byte order mark, which this removes.
  return new TextDecoder().decode(Buffer.concat(parts));
}

/** Some providers echo the rejected secret. Redaction precedes truncation, because half a secret would not be found. */
function redact(text: string, secret: string | undefined, maxLength: number): string {
  return (secret === undefined ? text : text.replaceAll(secret, '…')).slice(0, maxLength);
}
