import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../support/folder.ts';
import { run, testEnvironment } from '../support/process.ts';
import { textOf } from '../support/project-files.ts';

/** Ends each script of npm with its status in STATUSES. A run of tests reports 3 passed ones, and a failed one at status 1. */
const fakeNpm = `#!/bin/sh
script=$2 status=0
[ "$script" = --silent ] && script=$3
for one in $STATUSES; do
  case $one in "$script="*) status=\${one#*=} ;; esac
done
[ $status = 0 ] && success=true || success=false
[ $status = 1 ] && failed=1 || failed=0
for argument in "$@"; do
  case $argument in
    --outputFile.json=*)
      [ $status = 137 ] || echo '{"success":'$success',"numPassedTests":3,"numFailedTests":'$failed',"numPendingTests":0,"testResults":[]}' \\
        >"\${argument#*=}"
      ;;
  esac
done
exit $status
`;

test.each([
  ['', 0, '9 passed, 0 failed'],
  ['check=1', 1, '8 passed, 1 failed'],
  // The check cannot run on this machine.
  ['check:image=77', 0, '8 passed, 0 failed, 1 skipped'],
  ['test=1', 1, '9 passed, 1 failed'],
  // No test has failed, but an error outside of tests ends the run with this status.
  ['test:slow=2', 1, '9 passed, 1 failed'],
  // The run was killed and wrote no report.
  ['test:slow=137 check:audit=124', 1, '5 passed, 2 failed'],
])('.ci/run with the statuses "%s" ends with status %i after the line "%s"', async (statuses, status, line) => {
  const folder = testFolder();
  const files = { '.ci/run': textOf('.ci/run'), 'scripts/setup.mjs': '', 'bin/npm': fakeNpm };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  await chmod(join(folder, 'bin/npm'), 0o755);
  const environment = testEnvironment({ PATH: `${folder}/bin:${process.env['PATH']}`, STATUSES: statuses });
  const { code, output } = await run('bash', ['.ci/run'], { cwd: folder, environment });
  expect({ code, line: output.split('\n').at(-1) }).toEqual({ code: status, line });
});
