import { setTimeout as delay } from 'node:timers/promises';
import type { CliError } from '../cli-error.ts';
import { capitalize, type LocalProcess } from './local-process.ts';

/** Pauses before the restarts of a part that keeps ending. After the last one it stays down. */
const pausesSeconds = [1, 2, 4, 8, 16];

/** A part that has run for this long is healthy again, so its next restart comes after the first pause. */
const healthyMs = 60_000;

interface Supervision {
  say: (sentence: string) => void;
  /** True once the stack stops its parts itself. */
  isClosing: () => boolean;
  pause?: (ms: number) => Promise<unknown>;
  nowMs?: () => number;
}

export type RestartedPart = Pick<LocalProcess, 'name' | 'ended' | 'restart' | 'endedUnexpectedly'>;

/** Starts a part again each time that it ends. Resolves to the error of a part that stays down. */
export async function keepRunning(
  part: RestartedPart,
  { say, isClosing, pause = delay, nowMs = Date.now }: Supervision,
): Promise<CliError> {
  let restarts = 0;
  for (;;) {
    const startedMs = nowMs();
    const ending = await part.ended;
    if (isClosing()) return await new Promise(() => undefined);
    if (nowMs() - startedMs >= healthyMs) restarts = 0;
    const seconds = pausesSeconds[restarts];
    if (seconds === undefined) return part.endedUnexpectedly(ending);
    restarts += 1;
    say(`${capitalize(part.name)} ended ${ending}. It starts again in ${seconds} s.`);
    await pause(seconds * 1000);
    if (isClosing()) return await new Promise(() => undefined);
    part.restart();
  }
}
