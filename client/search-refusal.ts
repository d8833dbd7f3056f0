import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { ClientError } from './client-error.ts';

/** gRPC status; the SDK does not export @grpc/grpc-js. */
const invalidArgument = 3;

/** Converts Temporal's error for a query into a ClientError if the search attributes are not registered. */
export function asSearchRefusal(thrown: unknown, query: string): unknown {
  const refusal = thrown instanceof ServiceError ? thrown.cause : thrown;
  // oxlint-disable-next-line typescript/no-unsafe-enum-comparison
  if (!isGrpcServiceError(refusal) || refusal.code !== invalidArgument || !query.includes('Holdfast')) return thrown;
  return new ClientError(
    { kind: 'no_search_attributes' },
    `The Temporal server cannot filter runs, because Holdfast's search attributes are not registered: ${refusal.details}.`,
  );
}
