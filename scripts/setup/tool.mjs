// Makes tools of the tests in parallel and prints their paths when all exist:
//
//   node scripts/setup/tool.mjs [--background] <variable> …      (such as RCLONE_PATH)
//
// A tool that another process is making is waited for. `--background` yields to other work.
import { constants, setPriority } from 'node:os';
import { SetupError } from './setup-error.mjs';
import { say } from './step.mjs';
import { ensureTool } from './tools.mjs';

const args = process.argv.slice(2);
const variables = args.filter((argument) => argument !== '--background');
// Child processes inherit the priority.
if (variables.length < args.length) setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

// Exits by process.exit, whose listeners stop a running build and release the locks.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
}

// Each tool adds some of those listeners while it is made.
process.setMaxListeners(50);

const results = await Promise.allSettled(variables.map((variable) => ensureTool(variable, process.execPath)));
for (const { status, value, reason } of results) {
  if (status === 'fulfilled') {
    console.log(value);
    continue;
  }
  // A person can act on a SetupError; anything else is a bug and keeps its stack.
  say(reason instanceof SetupError ? `\nHoldfast set-up: ${reason.message}` : String(reason?.stack ?? reason));
  process.exitCode = 1;
}
