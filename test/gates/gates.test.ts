import { expect, test } from 'vitest';
import { textOf } from '../support/project-files.ts';
import { gates } from './gates.ts';

test('each fault of `check:gates` replaces a text that its file has exactly once', () => {
  const faults = gates.flatMap(({ faults: byFile }) =>
    Object.entries(byFile).flatMap(([file, ofFile]) => ofFile.map(([find]) => ({ file, find }))),
  );
  expect(faults.length).toBeGreaterThan(250);
  expect(faults.filter(({ file, find }) => textOf(file).split(find).length !== 2)).toEqual([]);
});
