import { ClientError } from '../client/client-error.ts';
import { SettingError } from '../process/settings.ts';
import { CliError } from './cli-error.ts';
import { buildProgram } from './program.ts';
import { remedyFor } from './remedy.ts';
import { readSettings, projectVersion, type Settings } from './settings.ts';
import { tolerateClosedOutput } from './standard-output.ts';
import { widthOf, wrapText } from './text/wrap-text.ts';

/** Read only when a command runs, so that `--help` works with invalid variables. */
const settings = (): Settings => readSettings(process.env);

type Command<Args extends unknown[]> = (...given: [...Args, Settings]) => number | Promise<number>;

/** Imports a command when it is called, so that `--help` is fast, and keeps its exit code. */
function lazy<Args extends unknown[]>(load: () => Promise<Command<Args>>): (...args: Args) => Promise<void> {
  return async (...args) => {
    const command = await load();
    process.exitCode = await command(...args, settings());
  };
}

const runs = async () => await import('./commands/runs.ts');
const program = buildProgram(
  {
    start: lazy(async () => (await import('./commands/start.ts')).start),
    encode: lazy(async () => (await import('./commands/encode.ts')).encode),
    chunk: lazy(async () => (await import('./commands/chunk.ts')).chunk),
    process: lazy(async () => (await import('./commands/process.ts')).process),
    inspect: lazy(async () => (await import('./commands/inspect.ts')).inspect),
    showPresets: lazy(async () => (await import('./commands/presets.ts')).showPresets),
    listRuns: lazy(async () => (await runs()).listRuns),
    showRun: lazy(async () => (await runs()).showRun),
    showUsage: lazy(async () => (await runs()).showUsage),
    cancelRuns: lazy(async () => (await runs()).cancelRuns),
    rerun: lazy(async () => (await runs()).rerun),
    setupServer: lazy(async () => (await import('./commands/setup-server.ts')).setupServer),
    watch: lazy(async () => (await import('./commands/watch.ts')).watch),
    limiter: lazy(async () => (await import('./commands/limiter.ts')).limiter),
  },
  projectVersion(),
);

const outputProblem = tolerateClosedOutput();
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = report(error);
}
const problem = await outputProblem();
if (problem !== undefined) process.exitCode = report(new CliError(problem));
// Open keep-alive connections and timers would delay the exit.
process.exit();

/** Writes the error to standard error, with a stack trace only for a bug. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CliError) {
    if (error.message !== '') complain(error.message);
    return error.exitCode;
  }
  if (error instanceof SettingError) {
    complain(error.message);
    return 1;
  }
  if (error instanceof ClientError) {
    complain([error.message, remedyFor(error.problem)].filter((part) => part !== undefined).join(' '));
    return 1;
  }
  console.error(error);
  return 1;
}

function complain(message: string): void {
  console.error(wrapText(message, widthOf(process.stderr)));
}
