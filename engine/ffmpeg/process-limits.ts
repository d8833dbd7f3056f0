/** What bounds each process of ffmpeg. */
export interface ProcessLimits {
  /** How long it may neither read, write nor compute. */
  stallTimeoutSeconds: number;
  /** Of one file; a process that writes more is ended by SIGXFSZ. */
  maxOutputBytes: number;
  /** Processor time of all its threads together; a process that uses more is ended by SIGXCPU. */
  maxCpuSeconds: number;
  /** Where alone it may make, change and remove files, its outputs and those beside them; default: nowhere. */
  writableFolder?: string;
}
