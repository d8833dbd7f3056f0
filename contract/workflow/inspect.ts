import { z } from 'zod';
import { checkSourceHeaders } from '../http/headers.ts';
import { WorkflowUrl } from '../http/url.ts';
import { WorkflowHeaders } from './headers.ts';

/** The input of the workflow `inspectSource`, which tells the facts of a source and makes nothing of it. */
export const InspectInput = z
  .strictObject({ sourceUrl: WorkflowUrl, headers: WorkflowHeaders.optional() })
  .superRefine(checkSourceHeaders);
export type InspectInput = z.infer<typeof InspectInput>;
