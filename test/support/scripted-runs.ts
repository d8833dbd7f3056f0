import { ApplicationFailure, type WorkflowHandle, WorkflowFailedError } from '@temporalio/client';
import { afterEach, beforeEach, type MockInstance, vi } from 'vitest';
import { ScriptedContainer, type Script, type ScriptedReply } from '../fixtures/scripted-container.ts';
import { RunHistory } from './history.ts';
import { TimeSkipping } from './time-skipping.ts';
import { stopAfterAll } from './stop-after-all.ts';

export const encodeInput = {
  sourceUrl: 'https://media.test/episode.wav?token=secret',
  outputs: [{ format: 'mp3_128', uploadUrl: 'https://media.test/episode.mp3?token=secret' }],
};

interface Ended {
  handle: WorkflowHandle;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests compare it field by field
  result?: any;
  failure?: ApplicationFailure;
  history: RunHistory;
  log: string[];
}

/** Runs on a skipping clock, against a container that follows a script. */
export interface ScriptedRuns {
  readonly time: TimeSkipping;
  /** Container of the test's last run. */
  readonly container: ScriptedContainer | undefined;
  start(script: Script): Promise<ScriptedContainer>;
  /** Runs a workflow to its end. `script` may also be the URL of a container. */
  run(script: Script | string, input?: unknown, type?: string): Promise<Ended>;
}

export async function useScriptedRuns(): Promise<ScriptedRuns> {
  const time = await stopAfterAll(TimeSkipping.start());
  let container: ScriptedContainer | undefined;

  afterEach(async () => {
    await container?.stop();
    container = undefined;
  });

  const start = async (script: Script) => (container = await ScriptedContainer.start(script));
  return {
    time,
    get container() {
      return container;
    },
    start,
    async run(script, input = encodeInput, type = 'encode') {
      const url = typeof script === 'string' ? script : (await start(script)).url;
      return time.withWorkers([url], async (taskQueue) => {
        const handle = await time.start(type, input, taskQueue);
        const outcome = await handle.result().then(
          (result: unknown) => ({ result }),
          (error: unknown) => {
            if (!(error instanceof WorkflowFailedError && error.cause instanceof ApplicationFailure)) throw error;
            return { failure: error.cause };
          },
        );
        return { handle, ...outcome, history: await RunHistory.of(handle), log: time.workflowLog(handle.workflowId) };
      });
    },
  };
}

/** Attempts take no time by their own clock, even on a loaded machine, because whole seconds would count. */
export function useInstantAttempts(): void {
  let now: MockInstance<typeof performance.now>;
  beforeEach(() => void (now = vi.spyOn(performance, 'now').mockReturnValue(0)));
  afterEach(() => now.mockRestore());
}

/** Replies in turn, and repeats the last reply. */
export function inTurn(...replies: ScriptedReply[]): Script {
  return (_, index) => replies[Math.min(index, replies.length - 1)] as ScriptedReply;
}
