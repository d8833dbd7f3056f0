import { sweepStaging } from '../../client/staging.ts';
import { CliError } from '../cli-error.ts';
import { Interrupts, untilAborted } from '../run/interrupts.ts';
import type { Settings } from '../settings.ts';
import { followLogs } from '../stack/follow-logs.ts';
import { openStack } from '../stack/open-stack.ts';
import type { StackFacts } from '../stack/owner.ts';
import type { Stack, StackPart } from '../stack/stack.ts';

const say = (sentence: string) => process.stdout.write(`${sentence}\n`);

/** Runs everything on this machine until Ctrl-C. */
export async function start(settings: Settings): Promise<number> {
  const interrupts = new Interrupts(settings.parentPid);
  const stack = await openStack({
    settings,
    command: 'start',
    say,
    signal: interrupts.first,
    waitForWorker: true,
    withServer: true,
  });
  void untilAborted(interrupts.second).then(() => {
    stack.kill();
    process.exit(interrupts.exitCode);
  });
  if (stack.kind !== 'own') return await reportRunningStack(stack);

  await sweepStaging(stack.facts.mediaRoot, say);
  say(formatOverview(stack.facts, stack.started, settings.stateFolder));
  const logs = followLogs(settings.stateFolder, stack.started, say);
  const broken = stack.broken.catch((error: unknown) => error);
  const reason = await Promise.race([broken, untilAborted(interrupts.first)]);
  logs.stop();
  if (reason instanceof CliError) say(`\n${reason.message}\nStopping everything.`);
  else say('\nStopping (Ctrl-C again stops at once).');
  await stack.close({ onWait: say, onStep: say });
  say('Stopped.');
  return reason instanceof CliError ? reason.exitCode : 0;
}

async function reportRunningStack(stack: Stack): Promise<number> {
  const { facts } = stack;
  await stack.close();
  const by =
    stack.kind === 'attached'
      ? `\`npx holdfast ${facts.command}\` (process ${facts.pid}) runs it`
      : 'it was started elsewhere';
  say(`Everything is already running; ${by}. Nothing to start.\n${formatAddresses(facts)}`);
  return 1;
}

function formatOverview(facts: StackFacts, started: readonly StackPart[], stateFolder: string): string {
  const used = (['temporal', 'container', 'worker', 'server'] as const).filter((part) => !started.includes(part));
  return [
    `Holdfast is ready.`,
    '',
    formatAddresses(facts),
    ...(used.length > 0 ? [`  reused         ${used.join(', ')}`] : []),
    `  logs           ${stateFolder}/logs/`,
    '',
    'Encode a file:  npx holdfast encode talk.wav --format mp3_128',
    'Stop with Ctrl-C.',
    '',
  ].join('\n');
}

function formatAddresses(facts: StackFacts): string {
  return [
    ...(facts.serverUrl === undefined ? [] : [`  page           ${facts.serverUrl}`]),
    `  Web UI         ${facts.uiUrl ?? 'unknown (set TEMPORAL_UI_URL)'}`,
    `  Temporal       ${facts.temporalAddress}, namespace ${facts.namespace}, task queue ${facts.taskQueue}`,
    `  container      ${facts.containerUrls.join(', ')}`,
    `  local files    ${facts.mediaRoot}`,
  ].join('\n');
}
