import { CliError } from '../cli-error.ts';
import { aborted, Interrupts } from '../run/interrupts.ts';
import type { Settings } from '../settings.ts';
import { followLogs } from '../progress/log-lines.ts';
import { sweepStaging } from '../media/staging.ts';
import { openStack } from '../stack/open-stack.ts';
import type { StackFacts } from '../stack/owner.ts';
import type { Part, Stack } from '../stack/stack.ts';

const say = (sentence: string) => process.stdout.write(`${sentence}\n`);

/** Everything on this machine, until Ctrl-C. */
export async function start(settings: Settings): Promise<number> {
  const interrupts = new Interrupts();
  const stack = await openStack({ settings, command: 'start', say, signal: interrupts.first, waitForWorker: true });
  void aborted(interrupts.second).then(() => {
    stack.kill();
    process.exit(interrupts.exitCode);
  });
  if (stack.kind !== 'own') return await alreadyRunning(stack);

  await sweepStaging(stack.facts.mediaRoot);
  say(overview(stack.facts, stack.started, settings.stateFolder));
  const logs = followLogs(settings.stateFolder, stack.started, say);
  const broken = stack.broken.catch((error: unknown) => error);
  const reason = await Promise.race([broken, aborted(interrupts.first)]);
  logs.stop();
  if (reason instanceof CliError) say(`\n${reason.message}\nStopping everything.`);
  else say('\nStopping (Ctrl-C again stops at once).');
  await stack.close(say);
  say('Stopped.');
  return reason instanceof CliError ? reason.exitCode : 0;
}

async function alreadyRunning(stack: Stack): Promise<number> {
  const { facts } = stack;
  await stack.close();
  const by =
    stack.kind === 'guest' ? `\`npm run ${facts.command}\` (process ${facts.pid}) runs it` : 'it was started elsewhere';
  say(`Everything runs already; ${by}. Nothing to start.\n${addresses(facts)}`);
  return 1;
}

function overview(facts: StackFacts, started: readonly Part[], stateFolder: string): string {
  const used = (['temporal', 'container', 'worker'] as const).filter((part) => !started.includes(part));
  return [
    `Holdfast is ready.`,
    '',
    addresses(facts),
    ...(used.length > 0 ? [`  used as found  ${used.join(', ')}`] : []),
    `  logs           ${stateFolder}/logs/`,
    '',
    'Encode something:  npm run encode -- talk.wav --format mp3_128',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

function addresses(facts: StackFacts): string {
  return [
    `  Web UI         ${facts.uiUrl ?? 'unknown (TEMPORAL_UI_URL can name it)'}`,
    `  Temporal       ${facts.temporalAddress}, namespace ${facts.namespace}, task queue ${facts.taskQueue}`,
    `  container      ${facts.containerUrls.join(', ')}`,
    `  local files    ${facts.mediaRoot}`,
  ].join('\n');
}
