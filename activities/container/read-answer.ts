import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { isRecord, parseJson } from '../../contract/unknown-values.ts';
import { headerOf, readRetryAfter } from '../retry-after.ts';
import { AnswerBody, detailsOf } from './answer-body.ts';
import { ConnectionLost, ContainerAnswer, ProxyAnswer, UnexpectedReply } from './errors.ts';

/** The largest answer, of a chunk job with 10,000 chunks, is about 2 MB. Endless answers are cut off. */
const maxAnswerBytes = 16 * 1024 * 1024;

export async function parseAnswer<T>(
  answer: Dispatcher.ResponseData,
  schema: z.ZodType<T>,
  containerUrl: string,
): Promise<T> {
  const body = parseJson(await readText(answer, containerUrl));
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  if (!isFromContainer(body)) throw proxyAnswer(answer, containerUrl);
  const [issue] = result.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? 'body' : issue.path.join('.');
  const problem = `with an unexpected body (${where}: ${issue?.message ?? 'invalid'})`;
  throw new UnexpectedReply(`The container answered ${answer.statusCode} ${problem}`, answer.statusCode);
}

/** Checks that a success came from a container and is about this job. */
export async function expectAnswerAbout(
  jobId: string,
  answer: Dispatcher.ResponseData,
  containerUrl: string,
): Promise<void> {
  const body = parseJson(await readText(answer, containerUrl));
  if (!isFromContainer(body)) throw proxyAnswer(answer, containerUrl);
  const named = isRecord(body) ? body['jobId'] : undefined;
  if (named !== undefined && named !== jobId) throw otherJob(jobId, answer.statusCode);
}

export function otherJob(jobId: string, status: number): UnexpectedReply {
  return new UnexpectedReply(`The container answered a request about job ${jobId} with another job`, status);
}

export async function readRefusal(
  answer: Dispatcher.ResponseData,
  containerUrl: string,
): Promise<ContainerAnswer | ProxyAnswer> {
  const json = parseJson(await readText(answer, containerUrl));
  // A 429 counts even from a proxy, because it asks for fewer requests and states the wait.
  if (!isRefusal(json) && answer.statusCode !== 429) return proxyAnswer(answer, containerUrl);
  const body = AnswerBody.parse(json);
  return new ContainerAnswer({
    status: answer.statusCode,
    message: body.error ?? `The container answered ${answer.statusCode}`,
    code: body.code,
    details: detailsOf(body),
    retryAfterSeconds: readRetryAfter(answer.headers, Date.now(), body.retryAfter),
    usage: body.usage,
  });
}

/** Every answer of a container has one of these fields. */
function isFromContainer(body: unknown): boolean {
  if (!isRecord(body)) return false;
  const { success, jobId, instanceId } = body;
  return typeof success === 'boolean' || typeof jobId === 'string' || typeof instanceId === 'string';
}

function isRefusal(body: unknown): boolean {
  return isRecord(body) && body['success'] === false && typeof body['error'] === 'string';
}

function proxyAnswer(answer: Dispatcher.ResponseData, containerUrl: string): ProxyAnswer {
  const { statusCode: status, headers } = answer;
  const location = headerOf(headers, 'location');
  const [mediaType = ''] = headerOf(headers, 'content-type')?.split(';') ?? [];
  return new ProxyAnswer(containerUrl, {
    status,
    what: location === undefined ? mediaType.trim() : 'to another address',
    location,
    retryAfterSeconds: readRetryAfter(headers, Date.now()),
  });
}

async function readText(answer: Dispatcher.ResponseData, containerUrl: string): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const part of answer.body as AsyncIterable<Uint8Array>) {
      size += part.length;
      // An empty text does not parse, so the answer counts as a proxy's page.
      if (size > maxAnswerBytes) return '';
      parts.push(part);
    }
  } catch (error) {
    throw new ConnectionLost(error, containerUrl);
  }
  return Buffer.concat(parts).toString('utf8');
}
