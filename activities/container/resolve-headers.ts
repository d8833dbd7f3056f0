import { ApplicationFailure } from '@temporalio/common';
import { failureType } from '../../contract/error-codes.ts';
import type { TransferHeaders } from '../../contract/http/headers.ts';
import type { WorkflowHeaders } from '../../contract/workflow/headers.ts';

/** The worker's environment variables for headers, by name. */
export type HeaderVariables = ReadonlyMap<string, string>;

/** Resolves references in the field `headers` of a request. */
export function resolveHeaders(
  headers: WorkflowHeaders | undefined,
  variables: HeaderVariables,
): { headers?: TransferHeaders } {
  if (headers === undefined) return {};
  const resolved = Object.entries(headers).map(([name, value]): [string, string] => {
    if (typeof value === 'string') return [name, value];
    const found = variables.get(value.env);
    if (found === undefined) {
      throw ApplicationFailure.create({
        type: failureType('invalid_request'),
        message: `The header ${name} refers to ${value.env}, which this worker does not have`,
        nonRetryable: true,
        category: 'BENIGN',
      });
    }
    return [name, found];
  });
  return { headers: Object.fromEntries(resolved) };
}
