// Makes tools of the tests ready, side by side, and prints the path of each once all are there:
//
//   node scripts/setup/tool.mjs [--background] <variable> …      (such as RCLONE_PATH)
//
// What another process is making already is waited for. `--background`: what runs beside it goes first.
import { constants, setPriority } from 'node:os';
import { SetupError } from './setup-error.mjs';
import { say } from './step.mjs';
import { ensureTool } from './tools.mjs';

const args = process.argv.slice(2);
const variables = args.filter((argument) => argument !== '--background');
// What it starts inherits it.
if (variables.length < args.length) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// By process.exit, whose listeners end a running build and give the locks back.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

// Each tool has some of those listeners while it is made.
process.setMaxListeners(50);

const results = await Promise.allSettled(variables.map((variable) => ensureTool(variable, process.execPath)));
for (const { status, value, reason } of results) {
  if (status === 'fulfilled') {
    console.log(value);
    continue;
  }
  // Only what a person can act on; anything else is a bug and keeps its stack.
  say(reason instanceof SetupError ? `\nHoldfast set-up: ${reason.message}` : String(reason?.stack ?? reason));
  process.exitCode = 1;
}
