import { createProgress } from '../progress/create-progress.ts';
import type { Progress } from '../progress/progress.ts';
import type { Settings } from '../settings.ts';
import { openStack } from '../stack/open-stack.ts';
import type { Stack } from '../stack/stack.ts';
import { Interrupts, untilAborted } from './interrupts.ts';

export interface StackWork {
  stack: Stack;
  progress: Progress;
  interrupts: Interrupts;
  /** Called at a second Ctrl-C, which ends the process: for what would else be left behind. */
  onAbandon(cleanUp: () => Promise<void>): void;
}

/** Whether the Temporal server, and its Web UI, end with the command that opened the stack. */
export function temporalEndsWith(stack: Stack): boolean {
  return stack.kind === 'own' && stack.started.includes('temporal');
}

/** Opens the stack for a command's work and closes it behind that; sees to Ctrl-C meanwhile. */
export async function withStack<Result>(
  command: string,
  settings: Settings,
  work: (tools: StackWork) => Promise<Result>,
): Promise<Result> {
  const interrupts = new Interrupts(settings.parentPid);
  const progress = createProgress(process.stderr, settings.isDumbTerminal);
  const stack = await openStack({
    settings,
    command,
    say: (sentence) => progress.note(sentence),
    signal: interrupts.first,
    waitForWorker: false,
  });
  const cleanUps: (() => Promise<void>)[] = [];
  const stopAtOnce = async () => {
    progress.stop();
    stack.kill();
    await Promise.allSettled(cleanUps.map((cleanUp) => cleanUp()));
    process.exit(interrupts.exitCode);
  };
  void untilAborted(interrupts.second).then(stopAtOnce);
  try {
    return await work({ stack, progress, interrupts, onAbandon: (cleanUp) => void cleanUps.push(cleanUp) });
  } finally {
    progress.stop();
    // The work is over, and only the stack's end is left: from here the first Ctrl-C stops at once, as the second does.
    if (!interrupts.first.aborted) void untilAborted(interrupts.first).then(stopAtOnce);
    await stack.close({ onWait: (sentence) => progress.note(sentence) });
  }
}
