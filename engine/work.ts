import type { JobPhase, VideoProgress } from '../contract/http/job.ts';

/** The part of pino's `Logger` that the engine uses. */
export interface WorkLog {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}

/** All that the engine knows of the job that it works for. */
export interface Work {
  signal: AbortSignal;
  /** Folder for the files that the engine writes. ffmpeg may write nowhere else. The caller removes it when the work ends. */
  folder: string;
  log: WorkLog;
  /**
   * Reports that bytes have moved or media time has passed. `fraction` (0 to 1) is the finished part of `phase`;
   * undefined where the whole is unknown.
   */
  advance(phase: JobPhase, fraction: number | undefined, speed?: number, video?: VideoProgress): void;
}
