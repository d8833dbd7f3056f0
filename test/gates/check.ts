/**
 * `npm run check:gates`: breaks a copy of the project in one place at a time. The check that is responsible must fail
 * each time. `npm run check:gates -- <part of a check or file>` selects some faults. Those of the image need the parts that
 * `npm run check:image` keeps in its cache: on a new machine, their build takes longer than a check may.
 */
import { constants } from 'node:os';
import { join } from 'node:path';
import { TestProcess, testEnvironment } from '../support/process.ts';
import { gates } from './gates.ts';
import { ScratchCopy } from './scratch-copy.ts';

/** Status of a check that cannot run on this machine. */
const cannotRun = 77;
/** A slow test on a busy machine ends earlier. */
const checkTimeoutMs = 20 * 60_000;
/** A check stops what it has started, such as the services of the image, which would otherwise start again and again. */
const cleanUpMs = 2 * 60_000;

const words = process.argv.slice(2);
const isAsked = (...names: string[]): boolean =>
  words.length === 0 || words.some((word) => names.some((name) => name.includes(word)));

const asked = gates.flatMap(({ check, faults }) => {
  const selected = Object.entries(faults).flatMap(([file, ofFile]) => ofFile.map((fault) => ({ file, fault })));
  const wanted = selected.filter(({ file }) => isAsked(check, file));
  return wanted.length === 0 ? [] : [{ check, faults: wanted }];
});

let running: TestProcess | undefined;
let isEnding = false;
async function end(signal: NodeJS.Signals): Promise<void> {
  if (isEnding) return;
  isEnding = true;
  await running?.stop('SIGTERM', cleanUpMs);
  // An exit removes the copy; a signal alone would not.
  process.exit(128 + constants.signals[signal]);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // The listener of TestProcess kills the check at once.
  process.removeAllListeners(signal);
  process.on(signal, () => void end(signal));
}
const copy = await ScratchCopy.make();

let caught = 0;
let problems = 0;
const report = (problem: string): void => {
  problems += 1;
  console.log(`\n${problem}\n`);
};
for (const { check, faults } of asked) {
  // A check that fails without a fault would seem to find every fault.
  const sound = await runCheck(check);
  if (sound.code === cannotRun) {
    console.log(`${check}: not checked: ${lastLine(sound.output)}`);
    continue;
  }
  if (sound.code !== 0) {
    report(`${check} fails without a fault:\n${sound.output.slice(-2_000)}`);
    continue;
  }
  const before = caught;
  for (const { file, fault } of faults) {
    const [find, replace] = fault;
    try {
      const { code, output } = await copy.whileBroken(file, fault, () => runCheck(check));
      if (code === 0) report(`${check} passes with this fault in ${file}:\n- ${find}\n+ ${replace}`);
      else {
        caught += 1;
        console.log(`${check}: found "${find}" -> "${replace}": ${reasonOf(output)}`);
      }
    } catch (error) {
      report(error instanceof Error ? error.message : String(error));
    }
  }
  console.log(`${check}: found ${caught - before} of ${faults.length} faults`);
}
console.log(`${caught} faults found, ${problems} problems`);
process.exitCode = asked.length > 0 && problems === 0 ? 0 : 1;

async function runCheck(check: string): Promise<{ code: number; output: string }> {
  const isTest = check.endsWith('.test.ts');
  const command = isTest ? `node node_modules/vitest/vitest.mjs run ${check}` : check;
  const PATH = `${join(copy.folder, 'node_modules/.bin')}:${process.env['PATH']}`;
  const environment = testEnvironment({ PATH, NO_COLOR: '1' });
  const child = (running = new TestProcess(check, 'sh', ['-c', `exec ${command}`], environment, copy.folder));
  const timer = setTimeout(() => void child.stop('SIGTERM', cleanUpMs), checkTimeoutMs);
  const { code } = await child.exited;
  clearTimeout(timer);
  // After a signal, or without the program, the outcome says nothing about the fault.
  if (isEnding || code === null || code === 127) {
    throw new Error(`${check} was ended or could not start:\n${child.output}`);
  }
  return { code, output: child.output };
}

/** The first failed test, or the last line of another check. A person sees by it that the fault itself was found. */
function reasonOf(output: string): string {
  return (/^ FAIL .*$/m.exec(output)?.[0] ?? lastLine(output)).trim();
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1) ?? '';
}
