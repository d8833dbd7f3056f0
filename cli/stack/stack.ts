import type { Connection } from '@temporalio/client';
import type { Settings } from '../settings.ts';
import type { StackFacts } from './owner.ts';

export type StackPart = 'temporal' | 'container' | 'worker' | 'server';

/** What a command works with, whoever runs it. */
export interface Stack {
  facts: StackFacts;
  connection: Connection;
  /** 'own': this command started some of it and ends it; 'attached': another command of this folder did; 'external': all of it was started elsewhere. */
  kind: 'own' | 'attached' | 'external';
  /** Which parts this command started. */
  started: readonly StackPart[];
  /** Rejects when a part that the command depends on has ended. */
  broken: Promise<never>;
  /** Ends in order what this command started. */
  close(listeners?: CloseListeners): Promise<void>;
  /** Ends it at once, for a person who does not want to wait. */
  kill(): void;
}

/** Told what the end of a stack is busy with, in sentences. */
export interface CloseListeners {
  /** Other commands still use the stack. */
  onWait?: (sentence: string) => void;
  /** A part is being stopped. */
  onStep?: (sentence: string) => void;
}

export interface OpenStackOptions {
  settings: Settings;
  /** The name of the command, for others that meet it. */
  command: string;
  /** A sentence about what is going on, such as a port that was taken. */
  say(sentence: string): void;
  signal: AbortSignal;
  /** Also wait for the worker: a command that starts one run need not, as the run waits for it. */
  waitForWorker: boolean;
  /** Also start the server, unless everything else runs already: for a stack that stays. */
  withServer?: boolean;
}

/** What of the stack runs already, and what has to be started. */
export interface RunningParts {
  missing: readonly StackPart[];
  /** To the Temporal that runs. */
  connection: Connection | undefined;
  /** Addresses at which no container answers. */
  silentContainerUrls: readonly string[];
}
