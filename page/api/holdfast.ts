import { HoldfastClient } from '../../api-client/client.ts';
import { HoldfastError } from '../../api-client/holdfast-error.ts';
import { readToken } from './token.ts';
import { texts } from '../texts.ts';

/** The server that shows this page. */
export const holdfast = new HoldfastClient({ token: readToken });

export function statusOf(error: unknown): number | undefined {
  return error instanceof HoldfastError ? error.status : undefined;
}

/** Path of the sign-in, if the server offers one. */
export function loginOf(error: unknown): string | undefined {
  return error instanceof HoldfastError ? error.login : undefined;
}

export function messageOf(error: unknown): string {
  if (statusOf(error) === 0) return texts.errors.network;
  return error instanceof Error ? error.message : String(error);
}
