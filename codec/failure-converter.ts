import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Turns messages and stack traces of failures into payloads, which are then encrypted. The SDK loads this module by its
 * path, also in the workflow bundle.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
