import { ApplicationFailure, patched } from '@temporalio/workflow';
import { failureType } from '../../contract/error-codes.ts';
import { type RunFailure, retryBudgetExhausted } from '../../contract/workflow/failure.ts';

/**
 * Failures after which other steps do the work. A container of an older version refuses a part as `invalid_request`. A
 * segment that its store has lost is a source that is not found, or has another checksum. If the request or the source
 * is at fault, the whole encode fails in the same way.
 */
const spreadFailures: ReadonlySet<string> = new Set(
  (
    [
      ...(['segment_mismatch', 'other_encoder', 'output_invalid', 'invalid_request'] as const),
      ...(['source_not_found', 'checksum_mismatch'] as const),
    ] as const
  ).map(failureType),
);

/** The join has the URLs of all segments, and a container reads requests up to a limit. */
const tooLarge = failureType('request_too_large');

/** Failures of a store that another attempt would meet again. */
const storeRefusals: ReadonlySet<string> = new Set((['upload_refused', 'upload_forbidden'] as const).map(failureType));

const notStored = 'SegmentsNotStored';

/** Failure of a segment or of the sound. One container needs no store for them. */
export function failureOfStoredPart(error: unknown): unknown {
  if (!(error instanceof ApplicationFailure) || !isOfStore(error)) return error;
  return ApplicationFailure.nonRetryable(`The store of the segments is not usable. ${error.message}`, notStored);
}

/** The store refuses files, or has taken none until the budget of the step was used up, for example because it is full. */
function isOfStore({ type, details }: ApplicationFailure): boolean {
  if (type !== retryBudgetExhausted) return storeRefusals.has(type ?? '');
  const [facts] = (details ?? []) as [Partial<RunFailure>?];
  return facts?.code === 'upload_failed';
}

/** True if one container may succeed without the part that has failed. */
export function isOfParts(error: unknown): error is ApplicationFailure {
  if (!(error instanceof ApplicationFailure)) return false;
  if (error.type === tooLarge) return patched('one-container-replaces-too-large-joins');
  return spreadFailures.has(error.type ?? '') || error.type === notStored;
}
