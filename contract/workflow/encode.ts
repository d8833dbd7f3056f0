import { z } from 'zod';
import { EncodedOutput, EncodeRequest, maxOutputs, RequestedOutput, SourceFacts } from '../http/encode.ts';
import { WorkflowUrl } from '../http/url.ts';
import { haveOwnTargets, targetIssue } from '../signed-url.ts';
import { AttemptCounts, RetryOverrides } from './retry.ts';

/** The container's request, with `s3:` URLs besides those that the container takes. */
export const EncodeInput = EncodeRequest.extend({
  sourceUrl: WorkflowUrl,
  outputs: z
    .array(RequestedOutput.extend({ uploadUrl: WorkflowUrl }))
    .min(1)
    .max(maxOutputs)
    .refine(haveOwnTargets, targetIssue),
  retry: RetryOverrides.optional(),
});
export type EncodeInput = z.infer<typeof EncodeInput>;

export const EncodeOutcome = AttemptCounts.extend({ outputs: z.array(EncodedOutput), source: SourceFacts });
export type EncodeOutcome = z.infer<typeof EncodeOutcome>;
