/**
 * `npm run check:kubernetes`: builds the manifests of each overlay, and of the base with each component, and validates
 * them against the schemas of Kubernetes and KEDA. `npm run check:kubernetes -- server` applies them to a real API
 * server instead.
 */
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, realpath } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolPath } from '../../support/tools.ts';
import { startAdmissionCheck } from './admission.ts';
import { startSchemaCheck } from './schemas.ts';
import { buildVariants } from './variants.ts';

const asked = process.argv.slice(2).join(' ');
if (!['', 'server'].includes(asked)) {
  console.error(`check:kubernetes knows no '${asked}': it is asked for 'server', or for nothing.`);
  process.exit(1);
}
// The real path, because kustomize computes relative paths from it.
const scratch = await mkdtemp(join(await realpath(tmpdir()), 'holdfast-kubernetes-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true, maxRetries: 5 }));
// An exit ends the child processes; a signal alone would not.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

const folder = join(scratch, 'kustomizations');
await mkdir(folder);
const variants = await buildVariants(await toolPath('KUSTOMIZE_PATH'), folder);
const check = await (asked === 'server' ? startAdmissionCheck : startSchemaCheck)(scratch);
let problems = 0;
try {
  for (const variant of variants) {
    const found = await check.problemsOf(variant);
    for (const problem of found) console.log(`${variant.name}: ${problem}`);
    problems += found.length;
    console.log(`${variant.name}: ${variant.resources.length} resources looked at`);
  }
} finally {
  await check.stop();
}
console.log(problems === 0 ? 'Nothing is wrong with them.' : `${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
