import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import { ClientError } from './client-error.ts';

/** Of @grpc/grpc-js, which the SDK does not export. */
const invalidArgument = 3;

/** What Temporal has thrown at a query of its visibility, as the problem that it is where it lacks our search attributes. */
export function asSearchRefusal(thrown: unknown, query: string): unknown {
  const refusal = thrown instanceof ServiceError ? thrown.cause : thrown;
  // oxlint-disable-next-line typescript/no-unsafe-enum-comparison
  if (!isGrpcServiceError(refusal) || refusal.code !== invalidArgument || !query.includes('Holdfast')) return thrown;
  return new ClientError(
    { kind: 'no_search_attributes' },
    `The Temporal server cannot search for that, as it has not registered our search attributes: ${refusal.details}.`,
  );
}
