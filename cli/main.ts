import { ClientError } from '../client/client-error.ts';
import { SettingError } from '../process/settings.ts';
import { CliError } from './cli-error.ts';
import { buildProgram } from './program.ts';
import { remedyFor } from './remedy.ts';
import { readSettings, projectVersion, type Settings } from './settings.ts';
import { tolerateClosedOutput } from './standard-output.ts';

/** Read only when a command runs, so that `--help` works with invalid variables. */
const settings = (): Settings => readSettings(process.env);

// Commands are imported when they are called, so that `--help` is fast.
const program = buildProgram(
  {
    async start() {
      const { start } = await import('./commands/start.ts');
      process.exitCode = await start(settings());
    },
    async encode(sources, options) {
      const { encode } = await import('./commands/encode.ts');
      process.exitCode = await encode(sources, options, settings());
    },
    async chunk(sources, options) {
      const { chunk } = await import('./commands/chunk.ts');
      process.exitCode = await chunk(sources, options, settings());
    },
    async process(sources, options) {
      const { process: processSources } = await import('./commands/process.ts');
      process.exitCode = await processSources(sources, options, settings());
    },
    async inspect(source, options) {
      const { inspect } = await import('./commands/inspect.ts');
      process.exitCode = await inspect(source, options, settings());
    },
    async listPresets(options) {
      const { listPresets } = await import('./commands/presets.ts');
      process.exitCode = listPresets(options, settings());
    },
    async listRuns(options) {
      const { listRuns } = await import('./commands/runs.ts');
      process.exitCode = await listRuns(options, settings());
    },
    async cancelRuns(workflowIds) {
      const { cancelRuns } = await import('./commands/runs.ts');
      process.exitCode = await cancelRuns(workflowIds, settings());
    },
    async rerun(workflowId) {
      const { rerun } = await import('./commands/runs.ts');
      process.exitCode = await rerun(workflowId, settings());
    },
    async setupServer() {
      const { setupServer } = await import('./commands/setup-server.ts');
      process.exitCode = await setupServer(settings());
    },
    async limiter(key, options) {
      const { limiter } = await import('./commands/limiter.ts');
      process.exitCode = await limiter(key, options, settings());
    },
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
// Kept-alive connections and timers would delay the exit.
process.exit();

/** Writes the error to standard error, with a stack trace only for a bug. Returns the exit code. */
function report(error: unknown): number {
  if (error instanceof CliError) {
    if (error.message !== '') console.error(error.message);
    return error.exitCode;
  }
  if (error instanceof SettingError) {
    console.error(error.message);
    return 1;
  }
  if (error instanceof ClientError) {
    console.error([error.message, remedyFor(error.problem)].filter((part) => part !== undefined).join(' '));
    return 1;
  }
  console.error(error);
  return 1;
}
