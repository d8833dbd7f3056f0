import { isGrpcServiceError, ServiceError } from '@temporalio/client';

/** https://grpc.io/docs/guides/status-codes; the SDK does not export @grpc/grpc-js. */
const codes = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
};

/** Whether gRPC ended a request with one of these statuses. */
export function hasGrpcStatus(
  error: unknown,
  ...statuses: (keyof typeof codes)[]
): error is Error & { details: string } {
  return isGrpcServiceError(error) && statuses.map((status) => codes[status]).includes(error.code);
}

/** Whether Temporal, or the SDK before it sent a request, refused to start a run. Otherwise the run may have started. */
export function isStartRefused(error: unknown): boolean {
  // The SDK repeats a request after RESOURCE_EXHAUSTED, and an earlier one may have had effect.
  // Each error of a sent request is a ServiceError, except those that name the refusal, such as NamespaceNotFoundError.
  if (!(error instanceof ServiceError)) return true;
  return hasGrpcStatus(
    error.cause,
    'INVALID_ARGUMENT',
    'PERMISSION_DENIED',
    'FAILED_PRECONDITION',
    'UNIMPLEMENTED',
    'UNAUTHENTICATED',
  );
}

/** Whether Temporal gave no answer and may give one later. Clients wrap the error of gRPC in a ServiceError. */
export function isTemporalAway(thrown: unknown): boolean {
  const error = thrown instanceof ServiceError ? thrown.cause : thrown;
  return hasGrpcStatus(error, 'CANCELLED', 'DEADLINE_EXCEEDED', 'RESOURCE_EXHAUSTED', 'UNAVAILABLE');
}
