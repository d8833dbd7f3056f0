import type { Problem } from '../../contract/server/problem.ts';
import { texts } from '../texts.ts';
import { tokenHeaders } from './token.ts';

/** The server said no, in a sentence for a person; or it said nothing. */
export class ApiError extends Error {
  /** 0: no answer. */
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface CallOptions {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export async function call<Answer>(
  method: 'GET' | 'POST',
  path: string,
  { body, headers, signal }: CallOptions = {},
): Promise<Answer> {
  const response = await request(path, {
    method,
    headers: { ...tokenHeaders(), ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  });
  if (!response.ok) throw await readProblem(response);
  return (await response.json()) as Answer;
}

async function request(path: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(path, init);
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new ApiError(0, texts.errors.network);
  }
}

export async function readProblem(response: Response): Promise<ApiError> {
  const problem = (await response.json().catch(() => ({}))) as Partial<Problem>;
  return new ApiError(response.status, problem.detail ?? texts.errors.unexpected(response.status));
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
