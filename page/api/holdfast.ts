import { HoldfastClient } from '../../api-client/client.ts';
import { HoldfastError } from '../../api-client/holdfast-error.ts';
import { readToken } from './token.ts';
import { texts } from '../texts.ts';

/** The server that shows this page. */
export const holdfast = new HoldfastClient({ token: readToken });

export function statusOf(error: unknown): number | undefined {
  return error instanceof HoldfastError ? error.status : undefined;
}

/** Where a person signs in, where the server has such a place. */
export function loginOf(error: unknown): string | undefined {
  return error instanceof HoldfastError ? error.login : undefined;
}

export function messageOf(error: unknown): string {
  if (statusOf(error) === 0) return texts.errors.network;
  return error instanceof Error ? error.message : String(error);
}
