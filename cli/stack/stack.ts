import type { Connection } from '@temporalio/client';
import type { Settings } from '../settings.ts';
import type { StackFacts } from './owner.ts';

export type StackPart = 'temporal' | 'container' | 'worker' | 'server';

/** Temporal, containers, worker and server that a command uses, whoever started them. */
export interface Stack {
  facts: StackFacts;
  connection: Connection;
  /** `own`: this command started parts and stops them; `attached`: another command of this folder did; `external`: all parts run elsewhere. */
  kind: 'own' | 'attached' | 'external';
  /** Parts that this command started. */
  started: readonly StackPart[];
  /** Rejects when a part that the command depends on ends. */
  broken: Promise<never>;
  /** Stops the started parts in order. */
  close(listeners?: CloseListeners): Promise<void>;
  kill(): void;
}

/** Receive sentences about the shutdown of a stack. */
export interface CloseListeners {
  /** The shutdown waits for other commands. */
  onWait?: (sentence: string) => void;
  /** A part is being stopped. */
  onStep?: (sentence: string) => void;
}

export interface OpenStackOptions {
  settings: Settings;
  /** Name of the command, shown to other commands. */
  command: string;
  /** Prints a sentence, such as about a changed port. */
  say(sentence: string): void;
  signal: AbortSignal;
  /** Also wait for the worker. A command for one run need not, because the run waits for it. */
  waitForWorker: boolean;
  /** Also start the server, unless everything else is already running. */
  withServer?: boolean;
}

export interface RunningParts {
  missing: readonly StackPart[];
  /** Connection to a running Temporal. */
  connection: Connection | undefined;
  /** URLs at which no container answers. */
  silentContainerUrls: readonly string[];
}

/** True if a worker keeps working on runs after this command ends. */
export function goesOnAlone(stack: Stack): boolean {
  return stack.kind === 'external' || (stack.kind === 'attached' && stack.facts.command === 'start');
}
