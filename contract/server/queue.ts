import { z } from 'zod';
import { JobPhase } from '../http/job.ts';

/** A container as Temporal knows it: by the workers that reach it, and by the runs whose jobs it does. */
export const ContainerView = z.object({
  containerUrl: z.string(),
  /** The machine that the URL is good on, where it is a loopback address. */
  machine: z.string().optional(),
  state: z.enum(['ready', 'busy']),
  /** Start of its work for that run, or of its presence; ISO 8601. */
  since: z.string(),
  /** Holdfast's version in the container and in its worker. */
  version: z.string().optional(),
  workerVersion: z.string().optional(),
  /** What it works for. */
  run: z
    .object({
      id: z.string(),
      phase: JobPhase.optional(),
      percent: z.number().optional(),
    })
    .optional(),
});
export type ContainerView = z.infer<typeof ContainerView>;

/** The answer of `GET /api/queue`. */
export const QueueView = z.object({
  /** Steps of runs that stand in the line for a container. */
  backlog: z.number().int(),
  /** Age of the oldest entry; missing where the queue is empty. */
  oldestSeconds: z.number().optional(),
  /** Runs that a container works for. */
  busy: z.number().int(),
  /** Containers that wait for work. */
  ready: z.number().int(),
  /** Workers that reach a container which could work. */
  workers: z.number().int(),
  /** What a container took for each of the last runs, in the middle; missing before any has ended. */
  typicalSeconds: z.number().optional(),
  /** All of them; for callers that see the runs of all owners. */
  containers: z.array(ContainerView).optional(),
});
export type QueueView = z.infer<typeof QueueView>;

/** The line at one moment; the fields are those of QueueView. */
export const QueueSample = z.object({
  at: z.string(),
  backlog: z.number().int(),
  busy: z.number().int(),
  ready: z.number().int(),
});
export type QueueSample = z.infer<typeof QueueSample>;

/** The answer of `GET /api/queue/history`. */
export const QueueHistory = z.object({
  everySeconds: z.number(),
  /** Samples of the last day, the oldest first. Some are missing where the server did not run or Temporal did not answer. */
  samples: z.array(QueueSample),
});
export type QueueHistory = z.infer<typeof QueueHistory>;

/** Place of a run in the line for a container. */
export const QueuePlace = z.object({
  /** 1 is the next. */
  position: z.number().int(),
  /** Estimate by the jobs under way and the last runs; ISO 8601. */
  expectedStartAt: z.string().optional(),
});
export type QueuePlace = z.infer<typeof QueuePlace>;

/** The answer of `GET /api/scale`, for autoscalers. */
export const ScaleView = z.object({
  /** How many containers would be at work if there were as many: backlog and busy. */
  wanted: z.number().int(),
});
export type ScaleView = z.infer<typeof ScaleView>;
