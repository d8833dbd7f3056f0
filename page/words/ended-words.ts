import type { RunView } from '../../contract/server/run.ts';
import { laterTexts } from '../later-texts.ts';
import { texts } from '../texts.ts';
import { nameOfRun } from './run-words.ts';

type Ended = Pick<RunView, 'id' | 'source' | 'state'>;

/** Title and body of one notification about all runs that ended while the person was away. */
export function endedWords(runs: readonly Ended[]): { title: string; body: string } {
  const [run] = runs;
  if (run !== undefined && runs.length === 1) return { title: texts.states[run.state], body: nameOfRun(run) };
  const byState = Map.groupBy(runs, ({ state }) => state);
  const counts = [...byState].map(([state, { length }]) => `${length} ${texts.states[state].toLowerCase()}`);
  return { title: laterTexts.notify.ended(runs.length), body: counts.join(', ') };
}
