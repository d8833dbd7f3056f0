import { expect, test } from 'vitest';
import { endedWords } from '../../../page/words/ended-words.ts';

const talk = { id: 'a', source: 's3://media/talk.wav', state: 'succeeded' } as const;

test('a notification names the run that has ended', () => {
  expect(endedWords([talk])).toEqual({ title: 'Succeeded', body: 'talk.wav' });
});

test('one notification counts all runs that ended while the person was away', () => {
  expect(endedWords([talk, { ...talk, state: 'failed' }, talk])).toEqual({
    title: '3 runs have ended',
    body: '2 succeeded, 1 failed',
  });
});
