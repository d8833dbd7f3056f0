import type { ProviderBackoff } from '../../contract/provider.ts';
import { providerBackoffSeconds } from './provider-backoff.ts';

/** How an attempt that counts has ended. */
export type AttemptEnd =
  | { kind: 'ok' }
  | { kind: 'rate_limited'; message: string; retryAfterSeconds?: number | undefined }
  | { kind: 'failed'; error: string; message: string; again: boolean; retryAfterSeconds?: number | undefined };

export type ChunkStep =
  | { kind: 'completed' }
  | { kind: 'backoff'; seconds: number; error: string; message: string }
  | { kind: 'failed'; error: string; message: string };

/** What becomes of a chunk after its attempt of this number, counted from 1. */
export function chunkStep(end: AttemptEnd, attempt: number, backoff: ProviderBackoff, random: () => number): ChunkStep {
  if (end.kind === 'ok') return { kind: 'completed' };
  const error = end.kind === 'rate_limited' ? 'rate_limited' : end.error;
  const { message } = end;
  const again = end.kind === 'rate_limited' || end.again;
  if (!again || attempt >= backoff.attempts) return { kind: 'failed', error, message };
  const seconds = providerBackoffSeconds(attempt, backoff, end.retryAfterSeconds, random);
  return { kind: 'backoff', seconds, error, message };
}
