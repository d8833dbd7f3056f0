export interface ProcessLimits {
  /** Seconds for which it may neither read, write nor compute; a fifth of them if all its threads are asleep. */
  stallTimeoutSeconds: number;
  /** Limit for one file. SIGXFSZ ends a process that writes more. */
  maxOutputBytes: number;
  /** Limit for the processor time of all its threads. SIGXCPU ends a process that uses more. */
  maxCpuSeconds: number;
  /** Only folder in which it may create, change and remove files. Default: none. */
  writableFolder?: string;
}
