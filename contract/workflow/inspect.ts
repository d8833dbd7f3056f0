import { z } from 'zod';
import { checkSourceHeaders } from '../http/headers.ts';
import { WorkflowUrl } from '../http/url.ts';
import { WorkflowHeaders } from './headers.ts';

/** Input of the workflow `inspectSource`, which reports facts about a source and produces no output. */
export const InspectInput = z
  .strictObject({ sourceUrl: WorkflowUrl, headers: WorkflowHeaders.optional() })
  .superRefine(checkSourceHeaders);
export type InspectInput = z.infer<typeof InspectInput>;
