/** Text that occurs once in a file, and the text that breaks the project in its place. */
export type Fault = readonly [find: string, replace: string];

/** Faults that one check must find. */
export interface Gate {
  /** A test file, or a command of the shell. */
  check: string;
  /** Faults by file. */
  faults: Readonly<Record<string, readonly Fault[]>>;
}
