import { spawn } from 'node:child_process';
import { SetupError } from './setup-error.mjs';

/** Set-up writes to standard error: standard output belongs to the script that follows. */
export function say(sentence) {
  process.stderr.write(`${sentence}\n`);
}

/**
 * Runs a slow command: announces it, shows that it is alive, and turns its failure into a sentence. `expected` is its
 * usual duration; `remedy` is what a person can do instead, which may depend on the command's output.
 */
export async function step({ title, expected, command, args, environment, folder, remedy }) {
  const startedAt = Date.now();
  const seconds = () => Math.round((Date.now() - startedAt) / 1000);
  say(`${title}${expected === undefined ? '' : ` (${expected})`} …`);
  const stopLife = showLife(title, seconds);
  const { code, output } = await runQuietly(command, args, environment, folder);
  stopLife();
  if (code !== 0) {
    const last = output.trimEnd().split('\n').slice(-12).join('\n    ');
    throw new SetupError(
      `${title} failed: \`${command} ${args.join(' ')}\` said\n\n    ${last}\n\n${typeof remedy === 'function' ? remedy(output) : remedy}`,
    );
  }
  say(`${title}: done in ${seconds()} s.`);
}

function showLife(title, seconds) {
  if (process.stderr.isTTY) {
    const timer = setInterval(() => process.stderr.write(`\r  ${seconds()} s `), 1_000);
    return () => {
      clearInterval(timer);
      process.stderr.write('\r\x1b[K');
    };
  }
  const timer = setInterval(() => say(`  still at it after ${seconds()} s: ${title}`), 30_000);
  return () => clearInterval(timer);
}

/** Standard input is closed: a question that nobody sees must not hang the set-up. */
export function runQuietly(command, args, environment = process.env, folder) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env: environment, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (data) => (output = (output + data).slice(-20_000));
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    // The child must not build for minutes after set-up is stopped.
    const stop = () => child.kill();
    process.once('exit', stop);
    const end = (result) => {
      process.off('exit', stop);
      resolve(result);
    };
    child.once('error', (error) => end({ code: -1, output: error.message }));
    child.once('close', (code) => end({ code, output }));
  });
}
