import { DefaultFailureConverter } from '@temporalio/common';

/** Messages and stack traces of failures become payloads, which are encrypted like the others. Loaded by its path, in the workflow bundle too. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
