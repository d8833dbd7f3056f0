import type { Scratch } from './scratch.ts';

/** Time for which a successful check is trusted, so that probes every second cost nothing. */
const toolsTrustedMs = 10_000;

/** Returns why no job can work here now, or undefined. */
export type Readiness = () => Promise<string | undefined>;

interface ReadinessDeps {
  scratch: Pick<Scratch, 'problem'>;
  isDraining(): boolean;
  /** Returns which tool cannot be used, or undefined. */
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
