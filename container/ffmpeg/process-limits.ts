/** What bounds each process of ffmpeg. */
export interface ProcessLimits {
  /** How long it may neither read, write nor compute. */
  stallTimeoutSeconds: number;
  /** Of one file; a process that writes more is ended by SIGXFSZ. */
  maxOutputBytes: number;
  /** Processor time of all its threads together; a process that uses more is ended by SIGXCPU. */
  maxCpuSeconds: number;
}

/** A process that is busy on every core for all of that time uses this much processor time. */
export function cpuSecondsWithin(wallSeconds: number, cores: number): number {
  return wallSeconds * cores;
}
