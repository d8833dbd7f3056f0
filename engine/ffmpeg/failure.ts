import { MediaError, diskFull } from '../media-error.ts';

/** How a process ended: by itself or by a signal that we did not send. */
export interface ProcessEnd {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** What ffmpeg and ffprobe say of a file that is no media, damaged at its head, or not among the allowed kinds. */
const sourceComplaints =
  /Invalid data found|moov atom not found|does not contain any stream|Could not find codec parameters|Format not on whitelist|Codec .* is not on whitelist|not on whitelist|Output file is empty|Decoder \(.*\) not found|Decoding requested, but no decoder found|matches no streams|Invalid argument|Could not open codec|End of file|Cannot allocate memory/i;

/** Such as `…/input: Input/output error`: the demuxer could not open it. A file that is missing or not readable is our own fault instead. */
const openComplaint = /\/input: (?!No such file|Permission denied)/;

/** Of ffmpeg, where more than two thirds of the frames could not be decoded (its option `-max_error_rate`). */
const tooManyErrorsExitCode = 69;

/** At the beginning of a line: ffmpeg indents a source's tags, which may hold any text, and not its own messages. */
const diskFullComplaint = /^\S.*(?:No space left on device|Disk quota exceeded)/im;
const fileTooLargeComplaint = /^\S.*File too large/im;

/** ffmpeg catches SIGXCPU, number 24 on Linux and macOS, and then ends by itself. */
const cpuLimitComplaint = /^Exiting normally, received signal 24\.$/m;

/** LAME's, of samples that are no numbers or beyond all sound: it would end so each time. */
const assertionComplaint = /^\S.*: Assertion .* failed\.$/m;

/** Whether an output could not be written. ffmpeg ends with exit code 0 all the same where that happens at a file's very end. */
export function isWriteComplaint(line: string): boolean {
  return diskFullComplaint.test(line) || fileTooLargeComplaint.test(line);
}

/** Of `aresample`, for want of memory (`-max_alloc`). ffmpeg ends with exit code 0, and without the sound behind the hole. */
const unfilledHole = /Failed to compensate for timestamp delta of (\d+\.\d+)$/;

/** Tells of a hole in a source's time stamps that was not filled; undefined where the line is another one. */
export function findUnfilledHole(line: string): MediaError | undefined {
  const seconds = unfilledHole.exec(line)?.[1];
  if (seconds === undefined) return undefined;
  return new MediaError(
    'undecodable_source',
    `The time stamps of the source leave a hole of ${Math.round(Number(seconds))} seconds in its sound, which is too long to be filled with silence.`,
  );
}

/** The last lines of ffmpeg, for the log: without the names of our folders. */
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

/** The error of a program that a signal has ended: of one of its limits, or from outside (pure). `program`: as a sentence begins with it. */
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

/** The error for an end other than success (pure). `complaint` is the last that the program wrote. */
export function ffmpegFailure(end: ProcessEnd, complaint: string): MediaError {
  if (diskFullComplaint.test(complaint)) return diskFull();
  if (fileTooLargeComplaint.test(complaint)) return signalFailure('SIGXFSZ', 'ffmpeg');
  if (cpuLimitComplaint.test(complaint)) return signalFailure('SIGXCPU', 'ffmpeg');
  if (end.signal === 'SIGABRT' && assertionComplaint.test(complaint)) return undecodable();
  if (end.signal !== null) return signalFailure(end.signal, 'ffmpeg');
  if (end.exitCode === 126 || end.exitCode === 127) {
    return new MediaError('ffmpeg_failed', 'ffmpeg could not be started; see GET /ready of the encoding service.');
  }
  if (end.exitCode === tooManyErrorsExitCode) return undecodable();
  if (sourceComplaints.test(complaint) || openComplaint.test(complaint)) return undecodable();
  return new MediaError('ffmpeg_failed', `ffmpeg failed with exit code ${end.exitCode}.`, {
    details: { exitCode: end.exitCode },
    cause: lastLines(complaint),
  });
}

export function undecodable(): MediaError {
  return new MediaError(
    'undecodable_source',
    'The source cannot be decoded: it is no audio or video file of a known kind, or it is damaged.',
  );
}

/** Of a file that could be read. */
export function noSound(): MediaError {
  return new MediaError(
    'undecodable_source',
    'The source holds no sound: nothing of its audio could be decoded, or less than makes one sample of an output.',
  );
}
