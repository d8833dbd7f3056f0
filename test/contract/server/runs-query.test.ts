import { expect, test } from 'vitest';
import { RunsQuery } from '../../../contract/server/run.ts';

test.each(['"', 'mp3_64" OR "flac', '\\'])(
  'refuses the format %s, for which Temporal’s stores cannot search',
  (format) => {
    expect(RunsQuery.safeParse({ format }).error?.issues).toMatchObject([
      { path: ['format'], message: 'must have no " and \\' },
    ]);
  },
);
