import type { Connection } from '@temporalio/client';
import type { Settings } from '../settings.ts';
import type { StackFacts } from './owner.ts';

export type Part = 'temporal' | 'container' | 'worker';

/** What a command works with, whoever runs it. */
export interface Stack {
  facts: StackFacts;
  connection: Connection;
  /** 'own': this command started some of it and ends it. 'guest': another command of this folder did. 'elsewhere': it all ran already. */
  kind: 'own' | 'guest' | 'elsewhere';
  /** Which parts this command started. */
  started: readonly Part[];
  /** Rejects when a part that the command depends on has ended. */
  broken: Promise<never>;
  /** Ends in order what this command started. */
  close(onStep?: (sentence: string) => void): Promise<void>;
  /** Ends it at once, for a person who does not want to wait. */
  kill(): void;
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
}

/** What of the stack runs already, and what has to be started. */
export interface Running {
  missing: readonly Part[];
  /** To the Temporal that runs. */
  connection: Connection | undefined;
  /** Addresses at which no container answers. */
  silentContainerUrls: readonly string[];
}
