import { expect, test } from 'vitest';
import { type FoundFile, SettledFiles } from '../../../cli/watch/settled-files.ts';

const file = (size: number, mtimeMs = 0, path = '/in/talk.wav'): FoundFile => ({ path, size, mtimeMs });

/** Seconds at which the watch of a file that settles in 10 s takes it; a look every 5 s. */
function takenAt(looks: readonly (FoundFile | undefined)[]): number[] {
  const files = new SettledFiles(10_000);
  return looks.flatMap((found, index) =>
    files.observe(found === undefined ? [] : [found], index * 5_000).map(() => index * 5),
  );
}

test.each([
  ['takes a file once when it has not changed for the time', [file(1), file(1), file(1), file(1), file(1)], [10]],
  ['waits for a file that grows', [file(1), file(2), file(3), file(3), file(3)], [20]],
  ['waits for a file that is written in place', [file(9, 1), file(9, 2), file(9, 3), file(9, 3), file(9, 3)], [20]],
  ['takes an old file only after the time, too', [file(1, -1e9), file(1, -1e9), file(1, -1e9)], [10]],
  ['ignores an empty file', [file(0), file(0), file(0), file(0)], []],
  ['takes a new version', [file(1), file(1), file(1), file(2), file(2), file(2)], [10, 25]],
  ['begins again for a file that was gone', [file(1), file(1), undefined, file(1), file(1), file(1)], [25]],
])('%s', (_, looks, seconds) => {
  expect(takenAt(looks)).toEqual(seconds);
});

test('takes a file again that was given back, unless it has changed', () => {
  const files = new SettledFiles(1000);
  files.observe([file(1), file(1, 0, '/in/other.wav')], 0);
  expect(files.observe([file(1), file(1, 0, '/in/other.wav')], 1000)).toHaveLength(2);
  expect(files.isWaiting).toBe(false);
  files.giveBack(file(1));
  files.giveBack(file(2, 0, '/in/other.wav'));
  expect(files.isWaiting).toBe(true);
  expect(files.observe([file(1), file(1, 0, '/in/other.wav')], 1500)).toEqual([file(1)]);
});
