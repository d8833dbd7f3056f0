import { z } from 'zod';
import { JobPhase } from '../http/job.ts';

/** A container as Temporal shows it: by the workers that reach it and the runs whose jobs it does. */
export const ContainerView = z.object({
  containerUrl: z.string(),
  /** Machine on which a loopback URL is valid. */
  machine: z.string().optional(),
  state: z.enum(['ready', 'busy']),
  /** Start of its work for the run, or of its presence; ISO 8601. */
  since: z.string(),
  /** Versions of Holdfast in the container and in its worker. */
  version: z.string().optional(),
  workerVersion: z.string().optional(),
  /** Run whose job it does. */
  run: z
    .object({
      id: z.string(),
      phase: JobPhase.optional(),
      percent: z.number().optional(),
    })
    .optional(),
});
export type ContainerView = z.infer<typeof ContainerView>;

/** Answer of `GET /api/queue`. */
export const QueueView = z.object({
  /** Steps of runs that wait for a container. */
  backlog: z.number().int(),
  /** Age of the oldest entry; undefined if the queue is empty. */
  oldestSeconds: z.number().optional(),
  /** Runs that hold a container. */
  busy: z.number().int(),
  /** Containers that wait for work. */
  ready: z.number().int(),
  /** Workers that reach a container able to work. */
  workers: z.number().int(),
  /** Median container time of the last runs; undefined before any has ended. */
  typicalSeconds: z.number().optional(),
  /** All containers; only for callers who may see the runs of all owners. */
  containers: z.array(ContainerView).optional(),
});
export type QueueView = z.infer<typeof QueueView>;

/** The queue at one moment; the fields are those of QueueView. */
export const QueueSample = z.object({
  at: z.string(),
  backlog: z.number().int(),
  busy: z.number().int(),
  ready: z.number().int(),
});
export type QueueSample = z.infer<typeof QueueSample>;

/** Answer of `GET /api/queue/history`. */
export const QueueHistory = z.object({
  everySeconds: z.number(),
  /**
   * Samples of the last day, oldest first. The list has gaps for times when the server was down or Temporal did not
   * answer.
   */
  samples: z.array(QueueSample),
});
export type QueueHistory = z.infer<typeof QueueHistory>;

/** Place of a run in the queue for a container. */
export const QueuePlace = z.object({
  /** 1 is next. */
  position: z.number().int(),
  /** Estimate from running jobs and recent runs; ISO 8601. */
  expectedStartAt: z.string().optional(),
});
export type QueuePlace = z.infer<typeof QueuePlace>;

/** Answer of `GET /api/scale`, for autoscalers. */
export const ScaleView = z.object({
  /** Containers that would be busy if enough existed: the backlog, and the busy runs or containers, whichever are more. */
  wanted: z.number().int(),
});
export type ScaleView = z.infer<typeof ScaleView>;
