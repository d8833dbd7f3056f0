import type { AttemptContext, ContainerPlace } from '../../contract/activity.ts';
import type { MetadataResult } from '../../contract/http/metadata.ts';
import type { InspectInput } from '../../contract/workflow/inspect.ts';
import { ConnectionLost, ContainerAnswer } from './errors.ts';
import { inspectSource } from './probe.ts';
import { runAttempt } from './run-attempt.ts';
import type { SubmitDependencies } from './submit-job.ts';

/** Addresses for other workers, by the URL that this worker uses. */
type Places = ReadonlyMap<string, ContainerPlace>;

/** Inspects a source at any of the worker's containers, which needs no slot. Unreachable containers are skipped. */
export function inspectActivity(
  dependencies: Pick<SubmitDependencies, 'clients' | 'stores' | 'headerVariables'>,
  places: Places,
) {
  let turn = 0;
  return async function inspect(input: InspectInput, context: AttemptContext): Promise<MetadataResult> {
    const all = [...places];
    turn += 1;
    const inTurn = all.map((_, index) => all[(index + turn) % all.length]).filter((found) => found !== undefined);
    return runAttempt(context, dependencies.clients, async (attempt) => {
      let unreached: unknown;
      for (const [containerUrl, place] of inTurn) {
        const container = { client: dependencies.clients({ containerUrl }), place };
        try {
          return await inspectSource(input, container, attempt, dependencies);
        } catch (error) {
          if (attempt.signal.aborted || !isAway(error)) throw error;
          unreached = error;
        }
      }
      throw unreached;
    });
  };
}

function isAway(error: unknown): boolean {
  const isDraining = error instanceof ContainerAnswer && error.facts.code === 'draining';
  return isDraining || error instanceof ConnectionLost;
}
