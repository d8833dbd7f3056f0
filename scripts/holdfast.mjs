#!/usr/bin/env node
// The command `holdfast`: sets up what the named command needs, then runs it. In a clone, `npx holdfast` starts it.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runnableRoot } from './setup/packed-install.mjs';
import { SetupError } from './setup/setup-error.mjs';

/** Commands outside the command line: the processes of a deployment, and a tool of the set-up. */
const scripts = {
  container: ['container/main.ts'],
  worker: ['worker/main.ts'],
  server: ['server/main.ts'],
  'codec-server': ['codec/main.ts'],
  'setup-vmaf': ['scripts/setup/tool.mjs', 'VMAF_FFMPEG_PATH'],
};

const [command = '--help', ...args] = process.argv.slice(2);
const script = Object.hasOwn(scripts, command) ? scripts[command] : ['cli/main.ts', command];
if (command === 'setup-vmaf' && args.length > 0) {
  console.log('Usage: holdfast setup-vmaf\n\nInstalls an ffmpeg with libvmaf, which measures how good pictures are.');
  process.exitCode = args.some((argument) => ['-h', '--help'].includes(argument)) ? 0 : 1;
} else {
  process.argv.splice(2, Infinity, ...script, ...args);
  try {
    await import(pathToFileURL(join(await runnableRoot(), 'scripts/setup.mjs')).href);
  } catch (error) {
    // A person can act on a SetupError; anything else is a bug and keeps its stack.
    console.error(error instanceof SetupError ? `\nHoldfast set-up: ${error.message}` : error);
    process.exitCode = 1;
  }
}
