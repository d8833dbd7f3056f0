import type { Scratch } from './scratch.ts';

/** Working tools count as working for this long, so that probes every second cost nothing. */
const toolsTrustedMs = 10_000;

/** Answers why no job can work here now, or undefined. */
export type Readiness = () => Promise<string | undefined>;

interface ReadinessDeps {
  scratch: Pick<Scratch, 'problem'>;
  isDraining(): boolean;
  /** Answers which of the tools cannot be used, or undefined. */
  findToolsProblem(): Promise<string | undefined>;
}

export function createReadiness({ scratch, isDraining, findToolsProblem }: ReadinessDeps): Readiness {
  let toolsTrustedUntilMs = 0;
  return async () => {
    if (isDraining()) return 'draining';
    if (Date.now() > toolsTrustedUntilMs) {
      const problem = await findToolsProblem();
      if (problem !== undefined) return problem;
      toolsTrustedUntilMs = Date.now() + toolsTrustedMs;
    }
    return scratch.problem();
  };
}
