import { z } from 'zod';
import { OwnerName, unprintable } from './owner-name.ts';
import { RetryOverrides } from './retry.ts';
import { SourceName } from './source-name.ts';
import { Webhook } from './webhook.ts';

/** Temporal's limit. */
const maxFairnessKeyBytes = 64;

const line = new RegExp(String.raw`^(?=.*\S)[^${unprintable}]+$`, 'u');

const priorityIssue = { error: 'must be a whole number from 1 to 5' };
const weightRangeIssue = { error: 'must be from 0.001 to 1000' };

/**
 * Fields of every workflow in addition to its request (docs/reference/workflows.md, "Owner, priority and fairness").
 */
export const commonInputShape = {
  retry: RetryOverrides.optional(),
  /** Owner of the run; a search attribute. */
  owner: OwnerName.optional(),
  /** Name of the original file, shown in place of the source's URL. */
  sourceName: SourceName.optional(),
  /** Temporal's priority: 1 runs first, 3 is the default. */
  priority: z.int(priorityIssue).min(1, priorityIssue).max(5, priorityIssue).optional(),
  /** Runs of equal priority take turns by this key. */
  fairnessKey: z
    .string()
    .regex(line, { error: 'must be a name on one line' })
    .refine((key) => new TextEncoder().encode(key).length <= maxFairnessKeyBytes, {
      error: `must be at most ${maxFairnessKeyBytes} bytes`,
    })
    .optional(),
  /** Weight of the key; the default is 1. */
  fairnessWeight: z.number().min(0.001, weightRangeIssue).max(1000, weightRangeIssue).optional(),
  webhook: Webhook.optional(),
};

const CommonInput = z.object(commonInputShape);
export type CommonInput = z.infer<typeof CommonInput>;

export function weightHasKey({ fairnessKey, fairnessWeight }: CommonInput): boolean {
  return fairnessWeight === undefined || fairnessKey !== undefined;
}

export const weightIssue = { error: 'needs a fairnessKey, whose weight it is', path: ['fairnessWeight'] };
