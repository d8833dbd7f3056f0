import type { ClientProblem } from '../client/client-error.ts';

/** What a person at the terminal can do about a problem; undefined where its own sentence says all. */
export function remedyFor(problem: ClientProblem): string | undefined {
  switch (problem.kind) {
    case 'namespace_unavailable':
      return 'Name another one in TEMPORAL_NAMESPACE, or create it: temporal operator namespace create --namespace NAME';
    case 'no_search_attributes':
      return '`npm run setup-server` registers them; runs that start from then on are found.';
    case 'limiter_not_found':
      return `It starts with the first run that uses the key: npm run process -- talk.wav --provider ${problem.key}`;
    case 'limiter_not_served':
      return '`npm start` or `npm run worker` starts one.';
    case 'invalid_input':
    case 'run_not_found':
    case 'encrypted':
    case 'limiter_ended':
    case 'limiter_change_unconfirmed':
    case 'permit_too_short':
      return undefined;
  }
}
