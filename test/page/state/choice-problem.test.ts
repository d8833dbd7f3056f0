import { expect, test } from 'vitest';
import { builtInPresets, type Presets } from '../../../contract/presets.ts';
import type { PresetView } from '../../../page/state/session.ts';
import type { Extras } from '../../../page/words/extras.ts';
import { stubPageGlobals } from './page-globals.ts';

stubPageGlobals();
const { findProblem } = await import('../../../page/state/choice-problem.ts');
const { session } = await import('../../../page/state/session.ts');

const presets = Object.entries(builtInPresets as Presets).map(([name, preset]) => ({ ...preset, name }));
session.value = { state: 'ready', server: { version: '', scopes: ['run'], hasTokens: false }, presets };

const problemOf = (preset: PresetView | undefined, extras: Extras = {}): string | undefined =>
  findProblem({ presets: preset === undefined ? [] : [preset], extras });

test.each(presets.map((preset) => [preset.name, preset] as const))('%s can be started', (_name, preset) => {
  expect(problemOf(preset, { metadata: { title: 'Harbour' }, trim: { start: 1 } })).toBeUndefined();
});

test.each([
  [
    { container: 'mp3', audio: { codec: 'aac' } },
    'Mine: The output mp3_aac cannot be made: mp3 files hold mp3, not aac.',
  ],
  [{ container: 'mp4', audio: { codec: 'aac', channels: 99 } }, /^Mine: audio\.channels .*\.$/],
  [{ container: 'tape' }, /^Mine: The output tape cannot be made: known containers are mp3, /],
])('custom settings that no container accepts are explained before an upload: %j', (settings, words) => {
  const problem = problemOf({ ...settings, name: 'own Mine' });
  if (typeof words === 'string') expect(problem).toBe(words);
  else expect(problem).toMatch(words);
});

test('a wrong entry of the form names the result and the field', () => {
  const problem = problemOf(presets[0], { metadata: { date: 'yesterday' } });
  expect(problem).toBe('Podcast with music: metadata.date must be a date such as 2026-11-22 or 2026.');
});
