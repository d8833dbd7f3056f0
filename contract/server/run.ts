import { z } from 'zod';
import { VideoProgress } from '../http/job.ts';
import { ChunkingOutcome } from '../workflow/chunking.ts';
import { EncodeOutcome } from '../workflow/encode.ts';
import { inputSchemas, type WorkflowType } from '../workflow/inputs.ts';
import { ProcessingOutcome } from '../workflow/processing.ts';
import { commonInputShape } from '../workflow/common-input.ts';
import { Problem } from './problem.ts';
import { QueuePlace } from './queue.ts';
import { RunArchive, RunFile } from './run-file.ts';
import { RunFilter, RunState } from './run-state.ts';
import { TimelineEntry } from './timeline.ts';
import { recordOf } from '../record.ts';
import { RunUsage } from '../usage.ts';

export const WorkflowName = z.enum(Object.keys(inputSchemas) as [WorkflowType, ...WorkflowType[]]);

/** A row of the list. Times are ISO 8601. */
export const RunView = z.object({
  id: z.string(),
  /** Temporal's run id, for links into its Web UI. */
  runId: z.string(),
  workflow: WorkflowName,
  state: RunState,
  /** `prepare`, a phase of a container's job, `process`, `assemble` or `done` */
  phase: z.string().optional(),
  owner: z.string().optional(),
  /** Name of the original file, or URL without its query string. */
  source: z.string().optional(),
  formats: z.array(z.string()).optional(),
  startedAt: z.string(),
  endedAt: z.string().optional(),
  /** Set while a worker answers the status query. */
  percent: z.number().optional(),
  attempt: z.number().int().optional(),
  etaSeconds: z.number().optional(),
  /** Seconds of media per second. */
  speed: z.number().optional(),
  /** Set while pictures are encoded. */
  video: VideoProgress.optional(),
  waiting: z
    .object({
      reason: z.enum(['rate_limited', 'connection_error']).optional(),
      /** Set if the source or a store, not the container, is unreachable. */
      unreached: z.enum(['source', 'store']).optional(),
      /** The error after which the run waits. */
      error: z.string().optional(),
      until: z.string(),
    })
    .optional(),
  /** Segments of a film that several containers encode. `segments` is 0 until the plan is made. */
  spread: z
    .object({
      segments: z.number().int(),
      done: z.number().int(),
      running: z.number().int(),
      waiting: z.number().int(),
      /** The jobs of the segments under way. A slow segment has a second one. */
      jobs: z.array(
        z.object({
          /** Index of the segment. Segments start in order, so earlier ones that are not listed are done. */
          segment: z.number().int(),
          isCopy: z.boolean(),
          state: z.enum(['queued', 'running', 'waiting']),
          percent: z.number(),
        }),
      ),
      /** The jobs of the sound beside the films, while they are under way. A slow one has a second one. */
      soundJobs: z.array(
        z.object({
          isCopy: z.boolean(),
          state: z.enum(['queued', 'running', 'waiting']),
          percent: z.number(),
        }),
      ),
    })
    .optional(),
  /** Set while the run waits for a container. */
  queue: QueuePlace.optional(),
  /** Why the run failed. */
  failure: z
    .object({
      /** `UndecodableSource`, `RetryBudgetExhausted` … */
      type: z.string().optional(),
      message: z.string(),
    })
    .optional(),
});
export type RunView = z.infer<typeof RunView>;

export const RunDetails = RunView.extend({
  priority: z.number().int().optional(),
  /** Input without the query strings of its URLs. */
  input: z.record(z.string(), z.unknown()),
  timeline: z.array(TimelineEntry),
  /** false: the run is too long, and the timeline lacks its beginning. */
  timelineComplete: z.boolean(),
  /** Successful runs only: outputs with their facts and loudness, or chunks. */
  result: z.union([EncodeOutcome, ProcessingOutcome, ChunkingOutcome]).optional(),
  /** What the run used, with its cost if there are prices. Undefined while the run is open, and for older versions. */
  usage: RunUsage.extend({ cost: z.number().optional(), currency: z.string().optional() }).optional(),
  /** Source and results, as far as the server can offer their files. */
  files: z.array(RunFile),
  /** Zips of outputs that have several files. */
  archives: z.array(RunArchive),
  /** Containers of a run with several steps, by step (`segment-3`). Set for callers with the scope `operate` and no owner. */
  containers: z.record(z.string(), z.string()).optional(),
  /** Page of the run in Temporal's Web UI, if the server knows its address. */
  webUrl: z.string().optional(),
});
export type RunDetails = z.infer<typeof RunDetails>;

const searchWords = z
  .string()
  .min(1)
  .max(200)
  // Without \P{Cc}: tools that read the OpenAPI document have no Unicode properties.
  .regex(new RegExp(String.raw`^[^\u0000-\u001f\u007f-\u009f]*$`, 'u'), { error: 'must have no control characters' });

export const RunsQuery = z.strictObject({
  state: RunFilter.optional(),
  owner: commonInputShape.owner,
  /** Prefix of an id, or words of the source's name or URL. */
  q: searchWords.optional(),
  /** Format or preset of one of the outputs, such as `mp3_128`. */
  // Temporal's SQLite store fails on a query with ".
  format: searchWords.regex(/^[^"\\]*$/, { error: 'must have no " and \\' }).optional(),
  /** Runs that started at this time or later. */
  since: z.iso.datetime({ offset: true }).optional(),
  /** Runs that started before this time. */
  before: z.iso.datetime({ offset: true }).optional(),
  /** `nextCursor` of the previous page */
  cursor: z
    .string()
    .max(4096)
    .regex(/^[A-Za-z0-9_-]+$/, { error: 'must be a nextCursor of the page before' })
    .optional(),
  limit: z.coerce.number().int().min(1).max(200).default(50),
});
export type RunsQuery = z.infer<typeof RunsQuery>;

export const RunsPage = z.object({
  /** Running ones first, then ended ones, newest first. */
  runs: z.array(RunView),
  /** Number of all runs that match, on the first page only. It is approximate while runs start and end. */
  total: z.number().int().optional(),
  /** Undefined on the last page. */
  nextCursor: z.string().optional(),
});
export type RunsPage = z.infer<typeof RunsPage>;

/** Body of `POST /api/runs`. */
export const NewRunRequest = z.strictObject({
  workflow: WorkflowName,
  /** The workflow's input (docs/reference/workflows.md). */
  input: recordOf(z.string(), z.unknown()),
  /** Alternative to the input's fields of the same names. */
  owner: commonInputShape.owner,
  priority: commonInputShape.priority,
  webhook: commonInputShape.webhook,
});
export type NewRunRequest = z.infer<typeof NewRunRequest>;

/** Optional body of `POST /api/runs/{id}/rerun`. */
export const RerunRequest = z.strictObject({
  /** Changes to the original run's input, as a JSON Merge Patch (RFC 7396). */
  input: recordOf(z.string(), z.unknown()).optional(),
});
export type RerunRequest = z.infer<typeof RerunRequest>;

/** Body of `POST /api/runs/{id}/priority`. */
export const PriorityRequest = z.strictObject({ priority: commonInputShape.priority.unwrap() });
export type PriorityRequest = z.infer<typeof PriorityRequest>;

const batchIds = z.array(z.string().min(1).max(1000)).min(1).max(500);

function batchOf<Run extends z.ZodType>(run: Run) {
  return z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('start'), runs: z.array(run).min(1).max(500) }),
    z.strictObject({ action: z.literal('cancel'), ids: batchIds }),
    z.strictObject({ action: z.literal('rerun'), ids: batchIds }),
  ]);
}

export const IdempotencyKey = z
  .string()
  .regex(/^[\x20-\x7e]{1,255}$/, { error: 'must be 1 to 255 printable characters of ASCII' });

export const BatchRun = NewRunRequest.extend({ idempotencyKey: IdempotencyKey.optional() });

/** Body of `POST /api/runs:batch`. */
export const BatchRequest = batchOf(BatchRun);
export type BatchRequest = z.infer<typeof BatchRequest>;

/** The batch before its runs are validated; each invalid run gets its own result. */
export const BatchEnvelope = batchOf(z.unknown());
export type BatchEnvelope = z.infer<typeof BatchEnvelope>;

/** Results in the order of the request. One failure has no effect on the other runs. */
export const BatchResult = z.object({
  results: z.array(
    z.object({
      /** The run that was started or is being cancelled; undefined if none was started. */
      id: z.string().optional(),
      status: z.number().int(),
      problem: Problem.optional(),
    }),
  ),
});
export type BatchResult = z.infer<typeof BatchResult>;
