#!/usr/bin/env node
// Makes everything ready that a script of Holdfast needs, then runs it under the Node of the npm package `node`:
//
//   node scripts/setup.mjs [--test-tools] <script> [arguments …]
//   node scripts/setup.mjs                 (only the npm packages and ffmpeg)
//   node scripts/setup.mjs --test-tools    (and all tools of the tests)
//
// The tools of the tests that are missing are made beside the script: few tests need one, and they wait for it themselves.
// Runs on any Node from 20 on (says so on an older one) and before anything is installed: it imports nothing but node: modules and ./setup.
// When all is there it costs a few look-ups and no process.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { ensureFfmpeg } from './setup/ffmpeg.mjs';
import { ensureLoudnessMeters } from './setup/loudness-meters.mjs';
import { ensurePage } from './setup/page.mjs';
import { ensureNpmPackages } from './setup/npm-packages.mjs';
import { projectRoot } from './setup/places.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { ensureTool, findTestTools } from './setup/tools.mjs';
import { findVmafFfmpeg } from './setup/vmaf-ffmpeg.mjs';

/** What each script cannot do without. Whatever is not named here gets it all: setting up too much only costs time. */
const needsOf = {
  'worker/main.ts': [],
  'server/main.ts': ['page'],
  'container/main.ts': ['ffmpeg'],
  'test/media/check.ts': ['ffmpeg'],
  'test/media/fuzz/check.ts': ['ffmpeg'],
  'test/media/loudness/check.ts': ['ffmpeg', 'loudness meters'],
  'cli/main.ts': ['ffmpeg', 'temporal'],
  'cli/main.ts start': ['ffmpeg', 'temporal', 'page'],
  'scripts/build-page.mjs': ['page'],
  // They ask what runs already.
  'cli/main.ts limiter': [],
  'cli/main.ts runs': [],
  'codec/main.ts': [],
  'test/deploy/kubernetes/check.ts': [],
  'bench/simulate-day.ts': [],
};

/** `containerNodeFlags` of contract/defaults.ts, which gives the reason. */
const nodeFlagsOf = { 'container/main.ts': ['--max-semi-space-size=1'] };

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

async function main() {
  const args = process.argv.slice(2);
  const testTools = args[0] === '--test-tools';
  const [script, ...scriptArguments] = testTools ? args.slice(1) : args;

  for (const signal of stopSignals) process.on(signal, stopEarly);
  // Nobody should wait minutes for a page of help.
  const helpOnly = script === 'cli/main.ts' && scriptArguments.some((argument) => ['-h', '--help'].includes(argument));
  const needsOfScript = needsOf[`${script} ${scriptArguments[0]}`] ?? needsOf[script] ?? ['ffmpeg', 'temporal'];
  const needs = new Set(helpOnly ? [] : script === undefined ? ['ffmpeg'] : needsOfScript);
  // First, since it may be for a person to install: not after minutes of what needs nobody.
  if (needs.has('ffmpeg')) await ensureFfmpeg();
  const node = await ensureNpmPackages();
  const environment = {
    ...process.env,
    HOLDFAST_PARENT_PID: String(process.pid),
    // Node keeps what it made of the TypeScript; the next start is faster and smaller by a third.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? resolve(projectRoot, 'node_modules/.cache/node'),
  };
  if (needs.has('ffmpeg')) {
    // Installed by `npm run setup:vmaf`, where somebody asked for it.
    const vmaf = findVmafFfmpeg();
    if (vmaf !== undefined) environment.VMAF_FFMPEG_PATH = vmaf;
  }
  if (needs.has('page')) await ensurePage(node);
  if (needs.has('loudness meters')) environment.LOUDNESS_METERS_PYTHON = await ensureLoudnessMeters();
  const tools = testTools ? await findTestTools() : { environment: {}, missing: [] };
  Object.assign(environment, tools.environment);
  if (needs.has('temporal') && !testTools && !usesRemoteTemporal()) {
    environment.TEMPORAL_CLI_PATH = await ensureTool('TEMPORAL_CLI_PATH', node);
  }
  if (script === undefined) return tools.missing.length === 0 ? 0 : await makeTools(node, tools.missing).ended;
  for (const signal of stopSignals) process.off(signal, stopEarly);
  // Named from the project, wherever the command was called.
  const command = [...(nodeFlagsOf[script] ?? []), resolve(projectRoot, script), ...scriptArguments];
  const making = tools.missing.length === 0 ? undefined : makeTools(node, ['--background', ...tools.missing]);
  try {
    return await runChild(node, command, environment);
  } finally {
    making?.stop();
  }
}

/** Through a pipe, so that it speaks in whole lines: the script may have the terminal. */
function makeTools(node, args) {
  const child = spawn(node, [resolve(projectRoot, 'scripts/setup/tool.mjs'), ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.stderr.pipe(process.stderr);
  const stop = () => child.kill('SIGTERM');
  process.once('exit', stop);
  return {
    ended: new Promise((end) => child.once('close', (code) => end(code ?? 1)).once('error', () => end(1))),
    stop,
  };
}

/** By process.exit, whose listeners end a running build and give the locks back. */
function stopEarly(signal) {
  process.exit(128 + constants.signals[signal]);
}

/** A dev server is started on this machine only; whoever names another one has no use for the CLI. */
function usesRemoteTemporal() {
  const address = process.env.TEMPORAL_ADDRESS;
  return Boolean(address) && !/^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(address);
}

function runChild(node, args, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { stdio: 'inherit', env: environment });
    // On a terminal Ctrl-C reaches the whole foreground group, so the child has had its own SIGINT. A second one would
    // mean "force" to it.
    process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    // npm killed with SIGKILL forwards nothing: without this the child would run on unseen.
    if (process.env.npm_lifecycle_event !== undefined) {
      const npmPid = process.ppid;
      const watch = setInterval(() => {
        if (process.ppid === npmPid) return;
        clearInterval(watch);
        child.kill('SIGTERM');
      }, 1_000);
      watch.unref();
    }
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  // Only what a person can act on; anything else is a bug and keeps its stack.
  console.error(error instanceof SetupError ? `\nHoldfast set-up: ${error.message}` : error);
  process.exitCode = 1;
}
