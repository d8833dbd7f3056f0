import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { CliError } from '../cli-error.ts';
import { projectRoot, type Settings } from '../settings.ts';
import type { Stack } from './stack.ts';

/** Installs the local transcriber before a run, so that a failure is seen at once. The stack starts it. */
export async function prepareTranscriber(
  { kind }: Pick<Stack, 'kind'>,
  { inheritedEnvironment }: Settings,
  say: (sentence: string) => void,
): Promise<void> {
  // Workers elsewhere have a transcriber of their own, or none.
  if (kind !== 'external') await ensureTranscriber(inheritedEnvironment, say);
}

/** Path of a Python with the transcriber's packages. The first call installs them. `say` gets the set-up's progress. */
export async function ensureTranscriber(
  environment: NodeJS.ProcessEnv,
  say: (sentence: string) => void,
): Promise<string> {
  const script = join(projectRoot, 'scripts/setup/tool.mjs');
  const child = spawn(process.execPath, [script, 'TRANSCRIBER_PYTHON'], {
    env: environment,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stop = () => child.kill();
  process.once('exit', stop);
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (line.trim() === '') return;
    lines.push(line);
    say(line);
  });
  const [path, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  process.off('exit', stop);
  if (code === 0) return path.trim();
  throw new CliError(
    `The local transcriber cannot be installed (see above). To use another provider, see docs/providers.md; \`--provider none\` only encodes and cuts. ${lines.at(-1) ?? ''}`.trim(),
  );
}
