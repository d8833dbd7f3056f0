import { MediaError, diskFull } from '../media-error.ts';

/** How a process ended: by itself, or by a signal that Holdfast did not send. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/**
 * Messages of ffmpeg and ffprobe about a file that is not media, has a damaged header, or is not of an allowed format.
 */
const sourceComplaints =
  /Invalid data found|moov atom not found|does not contain any stream|Could not find codec parameters|Format not on whitelist|Codec .* is not on whitelist|not on whitelist|Output file is empty|Decoder \(.*\) not found|Decoding requested, but no decoder found|matches no streams|Invalid argument|Could not open codec|End of file|Cannot allocate memory/i;

/**
 * The demuxer could not open the file, as in `…/input: Input/output error`. A missing or unreadable file is Holdfast's
 * own fault instead.
 */
const openComplaint = /\/input: (?!No such file|Permission denied)/;

/** Exit code of ffmpeg if more than two thirds of the frames could not be decoded (its option `-max_error_rate`). */
const tooManyErrorsExitCode = 69;

/**
 * Matches at the start of a line only. ffmpeg indents a source's tags, which may hold any text, but not its own
 * messages.
 */
const diskFullComplaint = /^\S.*(?:No space left on device|Disk quota exceeded)/im;
const fileTooLargeComplaint = /^\S.*File too large/im;

/** ffmpeg catches SIGXCPU (24 on Linux and macOS) and then ends by itself. */
const cpuLimitComplaint = /^Exiting normally, received signal 24\.$/m;

/** Assertion of LAME on samples that are not numbers or are out of range. It would fail on every attempt. */
const assertionComplaint = /^\S.*: Assertion .* failed\.$/m;

/** True if ffmpeg could not write an output. It still exits with code 0 if this happens at the very end of a file. */
export function isWriteComplaint(line: string): boolean {
  return diskFullComplaint.test(line) || fileTooLargeComplaint.test(line);
}

/** `aresample` ran out of memory (`-max_alloc`). ffmpeg exits with code 0 and drops the sound after the gap. */
const unfilledHole = /Failed to compensate for timestamp delta of (\d+\.\d+)$/;

/** Returns the failure for a gap in a source's timestamps that was not filled; undefined for any other line. */
export function findUnfilledHole(line: string): MediaError | undefined {
  const seconds = unfilledHole.exec(line)?.[1];
  if (seconds === undefined) return undefined;
  return new MediaError(
    'undecodable_source',
    `The sound of the source has a gap of ${Math.round(Number(seconds))} seconds in its time stamps, which is too long to fill with silence.`,
  );
}

/** Last lines of ffmpeg for the log, without the names of our folders. */
function lastLines(complaint: string): Error {
  return new Error(
    complaint
      .trim()
      .split('\n')
      .slice(-5)
      .join(' | ')
      .replaceAll(/\S*\/(?=input\b|output-\d|chunk-\d)/g, ''),
  );
}

/**
 * Failure of a program that a signal has ended: one of its limits, or a signal from outside. `program` starts the
 * sentence.
 */
export function signalFailure(signal: NodeJS.Signals, program: string): MediaError {
  if (signal === 'SIGXFSZ') {
    return new MediaError(
      'output_invalid',
      'An output grew beyond the limit of MAX_OUTPUT_BYTES. Nothing was uploaded.',
    );
  }
  if (signal === 'SIGXCPU') {
    return new MediaError('timeout', `${program} used more processor time than a job may take.`);
  }
  const reason =
    signal === 'SIGSYS'
      ? 'tried to start another program, which its sandbox (FFMPEG_SANDBOX) forbids, and was ended'
      : `was ended by ${signal} from outside`;
  return new MediaError('ffmpeg_failed', `${program} ${reason}.`, { details: { signal } });
}

/** Failure for any end other than success. `complaint` holds the last lines that the program wrote. */
export function ffmpegFailure(end: ProcessEnd, complaint: string): MediaError {
  if (diskFullComplaint.test(complaint)) return diskFull();
  if (fileTooLargeComplaint.test(complaint)) return signalFailure('SIGXFSZ', 'ffmpeg');
  if (cpuLimitComplaint.test(complaint)) return signalFailure('SIGXCPU', 'ffmpeg');
  if (end.signal === 'SIGABRT' && assertionComplaint.test(complaint)) return undecodable();
  if (end.signal !== null) return signalFailure(end.signal, 'ffmpeg');
  if (end.exitCode === 126 || end.exitCode === 127) return notStarted();
  if (end.exitCode === tooManyErrorsExitCode) return undecodable();
  if (sourceComplaints.test(complaint) || openComplaint.test(complaint)) return undecodable();
  return new MediaError('ffmpeg_failed', `ffmpeg failed with exit code ${end.exitCode}.`, {
    details: { exitCode: end.exitCode },
    cause: lastLines(complaint),
  });
}

export function notStarted(cause?: unknown): MediaError {
  return new MediaError('ffmpeg_failed', 'ffmpeg could not be started; see GET /ready of the encoding service.', {
    cause,
  });
}

export function undecodable(): MediaError {
  return new MediaError(
    'undecodable_source',
    'The source cannot be decoded: it is not an audio or video file of a known kind, or it is damaged.',
  );
}

/** Failure of a source that can be read but has no audio. */
export function noSound(): MediaError {
  return new MediaError(
    'undecodable_source',
    'The source has no sound: its audio could not be decoded, or is too short for one sample of an output.',
  );
}

/** True if ffmpeg ended by itself because of its input. */
export function isDecodeRefusal(error: unknown): boolean {
  if (!(error instanceof MediaError)) return false;
  return error.code === 'undecodable_source' || typeof error.details?.['exitCode'] === 'number';
}
