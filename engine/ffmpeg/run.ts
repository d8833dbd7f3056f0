import type { ChildProcess } from 'node:child_process';
import ffmpeg from 'fluent-ffmpeg';
import { withStepSpan } from '../../tracing/phases.ts';
import { MediaError } from '../media-error.ts';
import { meterProcess } from './cpu-time.ts';
import { ffmpegFailure, findUnfilledHole, isWriteComplaint, notStarted, type ProcessEnd } from './failure.ts';
import { guardArguments, guardPath, type Tool } from './guard.ts';
import type { ProcessLimits } from './process-limits.ts';
import { createProgressReader, type FfmpegProgress, hasAdvanced } from './progress.ts';
import { watchForStall } from './stall-watch.ts';
import { createStatisticsReader, type FinalStatistics } from './statistics.ts';
import { terminate } from './terminate.ts';

/**
 * The only module that knows fluent-ffmpeg (2.1.3). It avoids these traps:
 *
 * Array options are split at spaces: pass two or more separate arguments. A `progress` listener runs a hidden ffprobe
 * without our guards: read `-progress` here. The first run asks `ffmpeg -formats` and `-encoders`, which no timeout
 * bounds: both are answered here. `kill()` is lost before the process exists, and `timeout` reports the end while
 * ffmpeg still runs: keep the child process here. The child inherits our environment: the path is a guard script, whose
 * own arguments come first, as input options do.
 */
ffmpeg.setFfmpegPath(guardPath);

/** Number of ffmpeg's last lines that are kept to explain a failure. */
const complaintLines = 40;

export interface FfmpegOutput {
  path: string;
  options: readonly string[];
}

export interface FfmpegRun {
  /** Default: ffmpeg. */
  tool?: Exclude<Tool, 'ffprobe'>;
  input: string;
  inputOptions: readonly string[];
  /** Default options: those of the first input. */
  furtherInputs?: readonly { path: string; options?: readonly string[] }[];
  outputs: readonly FfmpegOutput[];
  limits: ProcessLimits;
  /** The process exchanges data with another one through a pipe, and may wait for it. */
  isPiped?: true;
  signal: AbortSignal;
  onProgress?(progress: FfmpegProgress): void;
  /** Receives what filters write to standard output, in pieces. */
  onOutput?(text: string): void;
}

type CommandWithProcess = ffmpeg.FfmpegCommand & { ffmpegProc?: ChildProcess };

function buildCommand(run: FfmpegRun): CommandWithProcess {
  const command = ffmpeg({ source: run.input, stdoutLines: 1 });
  Object.assign(command, {
    _checkCapabilities: (done: () => void) => done(),
    availableEncoders: (done: (error: null, encoders: object) => void) => done(null, {}),
  });
  command.inputOptions(
    ...guardArguments(run.tool ?? 'ffmpeg', run.limits),
    '-nostdin',
    '-hide_banner',
    ...['-v', 'verbose'],
    '-nostats',
    ...['-stats_period', '0.5'],
    ...['-progress', 'pipe:2'],
    ...run.inputOptions,
  );
  for (const { path, options = run.inputOptions } of run.furtherInputs ?? [])
    command.input(path).inputOptions(...(options as [string, string]));
  for (const output of run.outputs) command.output(output.path).outputOptions(...(output.options as [string, string]));
  return command;
}

/** Resolves when the process has ended, however it ended. Rejects only if the process could not be started. */
function execute(
  command: CommandWithProcess,
  onStart: (child: ChildProcess, pid: number) => void,
): Promise<ProcessEnd> {
  return new Promise((resolve, reject) => {
    let end: ProcessEnd | undefined;
    command.on('start', () => {
      const child = command.ffmpegProc;
      if (child?.pid === undefined) {
        // fluent-ffmpeg's own listener would throw a TypeError that nobody can catch.
        child?.removeAllListeners('error');
        child?.once('error', (error) => reject(notStarted(error)));
        return;
      }
      // This listener must precede fluent-ffmpeg's own, which may call back at once.
      child.prependOnceListener('exit', (exitCode, signal) => {
        end = { exitCode, signal };
      });
      onStart(child, child.pid);
    });
    const settle = (failure?: Error): void => (end === undefined ? reject(notStarted(failure)) : resolve(end));
    command.on('end', () => settle());
    command.on('error', settle);
    command.run();
  });
}

/** Runs ffmpeg to its end. Throws a MediaError if it fails, and an abort's reason once the process has ended. */
export function runFfmpeg(run: FfmpegRun): Promise<FinalStatistics> {
  return withStepSpan(run.tool ?? 'ffmpeg', { 'holdfast.outputs': run.outputs.length }, () => runToEnd(run));
}

async function runToEnd(run: FfmpegRun): Promise<FinalStatistics> {
  run.signal.throwIfAborted();
  const readProgress = createProgressReader();
  const { read: readStatistics, statistics } = createStatisticsReader();
  const said: string[] = [];
  let writeComplaint: string | undefined;
  let unfilledHole: MediaError | undefined;
  let last: FfmpegProgress | undefined;
  let stallWatch: ReturnType<typeof watchForStall> | undefined;
  let stalledSeconds: number | undefined;
  let child: ChildProcess | undefined;
  const stop = (): void => {
    if (child !== undefined) terminate(child);
  };

  const command = buildCommand(run);
  command.on('stderr', (line: string) => {
    readStatistics(line);
    const progress = readProgress(line);
    if (progress === undefined) {
      if (isWriteComplaint(line)) writeComplaint = line;
      // Later gaps are consequences of the first one.
      unfilledHole ??= findUnfilledHole(line);
      // A progress report has a dozen such lines, which would displace the important ones.
      if (/^\w+=/.test(line)) return;
      said.push(line);
      if (said.length > complaintLines) said.shift();
      return;
    }
    if (!hasAdvanced(last, progress)) return;
    last = progress;
    stallWatch?.recordProgress();
    run.onProgress?.(progress);
  });

  run.signal.addEventListener('abort', stop);
  try {
    const end = await execute(command, (started, pid) => {
      child = started;
      meterProcess(started);
      if (run.onOutput !== undefined) started.stdout?.setEncoding('utf8').on('data', run.onOutput);
      const onStall = (seconds: number): void => {
        stalledSeconds = seconds;
        stop();
      };
      stallWatch = watchForStall(pid, run.limits.stallTimeoutSeconds, onStall, run.isPiped);
      if (run.signal.aborted) stop();
    });
    run.signal.throwIfAborted();
    if (stalledSeconds !== undefined) {
      throw new MediaError('stalled', `ffmpeg made no progress for ${stalledSeconds} seconds and was ended.`);
    }
    if (end.exitCode !== 0 || writeComplaint !== undefined) {
      throw ffmpegFailure(end, [writeComplaint ?? '', ...said].join('\n'));
    }
    if (unfilledHole !== undefined) throw unfilledHole;
    return statistics;
  } finally {
    stallWatch?.stop();
    run.signal.removeEventListener('abort', stop);
  }
}
