import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { redactUrl } from '../../contract/shown-url.ts';
import { isRecord } from '../../contract/unknown-values.ts';
import { readRetryAfter } from '../retry-after.ts';
import { AnswerBody, detailsOf } from './answer-body.ts';
import { ConnectionLost, ContainerAnswer, ProxyAnswer } from './errors.ts';

/** The largest answer is the result of a chunk job with 10,000 chunks, some 2 MB. A page without an end is none. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** An answer of a container, as its schema has it. */
export async function parseAnswer<T>(
  answer: Dispatcher.ResponseData,
  schema: z.ZodType<T>,
  containerUrl: string,
): Promise<T> {
  const body = parseJson(await readText(answer, containerUrl));
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  if (!isContainers(body)) throw proxyAnswer(answer, containerUrl);
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
  throw new ContainerAnswer({
    status: answer.statusCode,
    code: 'unexpected_reply',
    message: `The container answered ${answer.statusCode} with something that is not in its contract (${where}: ${issue?.message ?? 'invalid'})`,
  });
}

/** A success of which no more is to be known than that a container has said it. */
export async function expectContainer(answer: Dispatcher.ResponseData, containerUrl: string): Promise<void> {
  if (!isContainers(parseJson(await readText(answer, containerUrl)))) throw proxyAnswer(answer, containerUrl);
}

/** An answer that is no success: the container's own, or of whoever speaks in its place. */
export async function readRefusal(
  answer: Dispatcher.ResponseData,
  containerUrl: string,
): Promise<ContainerAnswer | ProxyAnswer> {
  const json = parseJson(await readText(answer, containerUrl));
  // Whoever says so wants to be asked less often, and says when.
  if (!isRefusal(json) && answer.statusCode !== 429) return proxyAnswer(answer, containerUrl);
  const body = AnswerBody.parse(json);
  return new ContainerAnswer({
    status: answer.statusCode,
    message: body.error ?? `The container answered ${answer.statusCode}`,
    code: body.code,
    details: detailsOf(body),
    retryAfterSeconds: retryAfterOf(answer, body.retryAfter),
  });
}

/** Undefined where it is not JSON: the schemas then name what is missing. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function headerOf(answer: Dispatcher.ResponseData, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

/** Every answer of a container has one of these. */
function isContainers(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { success, jobId, instanceId } = body;
  return typeof success === 'boolean' || typeof jobId === 'string' || typeof instanceId === 'string';
}

function isRefusal(body: unknown): boolean {
  return isRecord(body) && body['success'] === false && typeof body['error'] === 'string';
}

function proxyAnswer(answer: Dispatcher.ResponseData, containerUrl: string): ProxyAnswer {
  const { statusCode: status } = answer;
  const location = headerOf(answer, 'location');
  const [mediaType = ''] = headerOf(answer, 'content-type')?.split(';') ?? [];
  const what = location === undefined ? mediaType.trim() : `to ${redactUrl(location)}`;
  return new ProxyAnswer(containerUrl, { status, what, retryAfterSeconds: retryAfterOf(answer, undefined) });
}

function retryAfterOf(answer: Dispatcher.ResponseData, bodyField: unknown): number | undefined {
  const [retryAfterHeader, dateHeader] = [headerOf(answer, 'retry-after'), headerOf(answer, 'date')];
  return readRetryAfter({ bodyField, retryAfterHeader, dateHeader }, Date.now());
}

async function readText(answer: Dispatcher.ResponseData, containerUrl: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of answer.body as AsyncIterable<Uint8Array>) {
      size += part.length;
      // Not to be parsed then, which is what a proxy's page is.
      if (size > maxAnswerBytes) return '';
      parts.push(part);
    }
  } catch (error) {
    throw new ConnectionLost(error, containerUrl);
  }
  return Buffer.concat(parts).toString('utf8');
}
