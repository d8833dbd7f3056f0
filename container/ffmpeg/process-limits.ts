export interface ProcessLimits {
  /** Of one file; a process that writes more is ended by SIGXFSZ. */
  maxOutputBytes: number;
  /** No process needs more processor time than its job has time; one that does is ended by SIGXCPU. */
  jobTimeoutSeconds: number;
}

/** `ulimit -f` of a POSIX shell counts blocks of 512 bytes. */
const blockBytes = 512;

/** Hands the limits to `guarded-ffmpeg`. By our own environment, because fluent-ffmpeg passes no other to its child. */
export function setProcessLimits(limits: ProcessLimits): void {
  process.env['HOLDFAST_FFMPEG_FILE_BLOCKS'] = String(Math.ceil(limits.maxOutputBytes / blockBytes));
  process.env['HOLDFAST_FFMPEG_CPU_SECONDS'] = String(limits.jobTimeoutSeconds);
}
