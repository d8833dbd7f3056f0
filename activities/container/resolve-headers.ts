import { failureType } from '../../contract/error-codes.ts';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { WorkflowHeaders } from '../../contract/workflow/headers.ts';
import { finalFailure } from '../final-failure.ts';

/** The worker's environment variables for headers, by name. */
export type HeaderVariables = ReadonlyMap<string, string>;

export function resolveHeaders(
  headers: WorkflowHeaders | undefined,
  variables: HeaderVariables,
): { headers?: TransferHeaders } {
  if (headers === undefined) return {};
  const resolved = Object.entries(headers).map(([name, value]): [string, string] => {
    if (typeof value === 'string') return [name, value];
    const found = variables.get(value.env);
    if (found !== undefined) return [name, found];
    const message = `The header ${name} refers to ${value.env}, which this worker does not have`;
    throw finalFailure(failureType('invalid_request'), message);
  });
  return { headers: Object.fromEntries(resolved) };
}
