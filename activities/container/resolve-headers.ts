import { failureType } from '../../contract/error-codes.ts';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { Requester } from '../../contract/requester.ts';
import type { WorkflowHeaders } from '../../contract/workflow/headers.ts';
import { finalFailure } from '../final-failure.ts';
import { findSecret, type Secrets } from '../secrets.ts';

/** The worker's variables for headers by their full names, and the run that refers to them. */
export interface HeaderSecrets {
  headerVariables: Secrets;
  requester: Requester | undefined;
}

/** Resolves the headers of `url`. A redirect to another origin gets none of them. */
export function resolveHeaders(
  headers: WorkflowHeaders | undefined,
  url: string,
  { headerVariables, requester }: HeaderSecrets,
): { headers?: TransferHeaders } {
  if (headers === undefined) return {};
  const resolved = Object.entries(headers).map(([name, value]): [string, string] => {
    if (typeof value === 'string') return [name, value];
    const found = findSecret(headerVariables, value.env, { requester, url });
    if (found !== undefined) return [name, found];
    const message = `The header ${name} refers to ${value.env}, which this worker does not have for this run and this URL`;
    throw finalFailure(failureType('invalid_request'), message);
  });
  return { headers: Object.fromEntries(resolved) };
}
