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
  /** Registers a clean-up for a second Ctrl-C, which exits at once. */
  onAbandon(cleanUp: () => Promise<void>): void;
}

/** True if the Temporal server and its Web UI stop with this command. */
export function temporalEndsWith(stack: Stack): boolean {
  return stack.kind === 'own' && stack.started.includes('temporal');
}

/** Opens the stack, does the work, closes the stack, and handles Ctrl-C. */
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
    // Only the stack's shutdown is left, so the first Ctrl-C now stops at once.
    if (!interrupts.first.aborted) void untilAborted(interrupts.first).then(stopAtOnce);
    await stack.close({ onWait: (sentence) => progress.note(sentence) });
  }
}
