import { CliError } from './cli-error.ts';
import { buildProgram } from './program.ts';
import { readSettings } from './settings.ts';

// Each command is loaded when it is called: `--help` should not wait for what only a run needs.
const program = buildProgram({
  async start() {
    const { start } = await import('./commands/start.ts');
    process.exitCode = await start(readSettings(process.env));
  },
  async encode(source, options) {
    const { encode } = await import('./commands/encode.ts');
    process.exitCode = await encode(source, options, readSettings(process.env));
  },
  async chunk(source, options) {
    const { chunk } = await import('./commands/chunk.ts');
    process.exitCode = await chunk(source, options, readSettings(process.env));
  },
  async process(source, options) {
    const { process: processSource } = await import('./commands/process.ts');
    process.exitCode = await processSource(source, options, readSettings(process.env));
  },
  async limiter(key, options) {
    const { limiter } = await import('./commands/limiter.ts');
    process.exitCode = await limiter(key, options, readSettings(process.env));
  },
});

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CliError) {
    if (error.message !== '') console.error(error.message);
    process.exitCode = error.exitCode;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}
// Keep-alive connections and timers that have done their duty must not hold the prompt back.
process.exit();
