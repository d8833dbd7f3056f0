import type { ClientProblem } from '../client/client-error.ts';

/** Advice for the terminal; undefined if the error's own message is enough. */
export function remedyFor(problem: ClientProblem): string | undefined {
  switch (problem.kind) {
    case 'namespace_unavailable':
      return 'Set TEMPORAL_NAMESPACE to another one, or create it: temporal operator namespace create --namespace NAME';
    case 'no_search_attributes':
      return 'Run `npx holdfast setup-server` to register them; runs started afterwards are found.';
    case 'limiter_not_found':
      return `The first run that uses the key starts it: npx holdfast process talk.wav --provider ${problem.key}`;
    case 'limiter_not_served':
      return 'Start a worker with `npx holdfast start` or `npx holdfast worker`.';
    case 'invalid_input':
    case 'run_not_found':
    case 'source_gone':
    case 'encrypted':
    case 'limiter_ended':
    case 'limiter_change_unconfirmed':
    case 'permit_too_short':
      return undefined;
  }
}
