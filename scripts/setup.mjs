#!/usr/bin/env node
// Prepares everything that a script of Holdfast needs, then runs it with the Node of the npm package `node`:
//
//   node scripts/setup.mjs [--test-tools] <script> [arguments …]
//   node scripts/setup.mjs                 (only the npm packages and ffmpeg)
//   node scripts/setup.mjs --test-tools    (and all tools of the tests)
//
// Missing tools of the tests are made in parallel to the script: few tests need one, and those wait for it.
// Runs on any Node from 20 on (an older one gets a message) and before anything is installed: it imports only node:
// modules and ./setup. If everything exists, it costs a few look-ups and no process.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { ensureFfmpeg } from './setup/ffmpeg.mjs';
import { ensureNpmPackages } from './setup/npm-packages.mjs';
import { projectRoot } from './setup/places.mjs';
import { SetupError } from './setup/setup-error.mjs';
import { findTemporalCli } from './setup/temporal-cli.mjs';
import { findVmafFfmpeg } from './setup/vmaf-ffmpeg.mjs';

/** Needs of each script. A script that is not listed gets everything: too much set-up only costs time. */
const needsOf = {
  'worker/main.ts': [],
  'server/main.ts': ['page'],
  'container/main.ts': ['ffmpeg'],
  'test/media/check.ts': ['ffmpeg'],
  'test/media/fuzz/check.ts': ['ffmpeg'],
  'test/transcriber/check.ts': ['ffmpeg'],
  'test/media/loudness/check.ts': ['ffmpeg', 'loudness meters'],
  'cli/main.ts': ['ffmpeg', 'temporal'],
  'cli/main.ts start': ['ffmpeg', 'temporal', 'page'],
  'scripts/build-page.mjs': ['page'],
  'scripts/setup/tool.mjs': [],
  // These commands print, or query running processes.
  'cli/main.ts completion': [],
  'cli/main.ts limiter': [],
  'cli/main.ts runs': [],
  'codec/main.ts': [],
  'test/deploy/kubernetes/check.ts': [],
  'scripts/check-image/server.mjs': [],
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
  // ffmpeg comes first: a person may have to install it and should learn that before minutes of other work.
  if (needs.has('ffmpeg')) await ensureFfmpeg();
  const node = await ensureNpmPackages();
  const environment = {
    ...process.env,
    HOLDFAST_PARENT_PID: String(process.pid),
    // Node caches compiled TypeScript; the next start is a third faster and smaller.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? resolve(projectRoot, 'node_modules/.cache/node'),
  };
  if (needs.has('ffmpeg')) {
    // Installed by `npx holdfast setup-vmaf` on request.
    const vmaf = findVmafFfmpeg();
    if (vmaf !== undefined) environment.VMAF_FFMPEG_PATH = vmaf;
  }
  // Only some scripts need these parts of the set-up.
  if (needs.has('page')) await (await import('./setup/page.mjs')).ensurePage(node);
  if (needs.has('loudness meters')) {
    const { ensureLoudnessMeters } = await import('./setup/loudness-meters.mjs');
    environment.LOUDNESS_METERS_PYTHON = await ensureLoudnessMeters();
  }
  const tools = testTools
    ? await (await import('./setup/tools.mjs')).findTestTools()
    : { environment: {}, missing: [] };
  Object.assign(environment, tools.environment);
  if (needs.has('temporal') && !testTools && !usesRemoteTemporal()) {
    environment.TEMPORAL_CLI_PATH = findTemporalCli() ?? (await makeTemporalCli(node));
  }
  if (script === undefined) return tools.missing.length === 0 ? 0 : await makeTools(node, tools.missing).ended;
  for (const signal of stopSignals) process.off(signal, stopEarly);
  // The path is resolved from the project, wherever the command was called.
  const command = [...(nodeFlagsOf[script] ?? []), resolve(projectRoot, script), ...scriptArguments];
  const making = tools.missing.length === 0 ? undefined : makeTools(node, ['--background', ...tools.missing]);
  try {
    return await runChild(node, command, environment);
  } finally {
    making?.stop();
  }
}

async function makeTemporalCli(node) {
  const { ensureTool } = await import('./setup/tools.mjs');
  return await ensureTool('TEMPORAL_CLI_PATH', node);
}

/** Output goes through a pipe in whole lines, because the script may own the terminal. */
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

/** Exits by process.exit, whose listeners stop a running build and release the locks. */
function stopEarly(signal) {
  process.exit(128 + constants.signals[signal]);
}

/** The CLI starts a dev server only on this machine; a remote server needs no CLI. */
function usesRemoteTemporal() {
  const address = process.env.TEMPORAL_ADDRESS;
  return Boolean(address) && !/^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(address);
}

function runChild(node, args, environment) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, args, { stdio: 'inherit', env: environment });
    // On a terminal Ctrl-C reaches the whole foreground group, so the child has received its own SIGINT. A second one
    // would mean "force".
    process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
    for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
    // A SIGKILL of npm forwards nothing: without this check the child would keep running unseen.
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
  // A person can act on a SetupError; anything else is a bug and keeps its stack.
  console.error(error instanceof SetupError ? `\nHoldfast set-up: ${error.message}` : error);
  process.exitCode = 1;
}
