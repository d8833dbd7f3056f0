import type { JobPhase } from '../../../contract/http/job.ts';
import { statusQuery, type WorkflowStatus } from '../../../contract/workflow/status.ts';
import type { TestContainer } from '../../support/container.ts';
import type { Proxy } from '../../support/toxiproxy.ts';
import type { ChaosRun } from './chaos-run.ts';
import type { Barrier } from './barrier.ts';

export const phases = ['download', 'encode', 'verify', 'upload', 'wait'] as const;
export type Phase = (typeof phases)[number];

export interface Lane {
  container: TestContainer;
  barrier: Barrier;
  /** Proxy between the container and its store. */
  store: Proxy;
}

/** A run that is held in a phase. */
export interface HeldRun {
  run: ChaosRun;
  release(): Promise<void>;
}

/** Starts a run and holds it in the phase by a condition, never by time. */
export async function heldIn(phase: Phase, lane: Lane, start: () => Promise<ChaosRun>): Promise<HeldRun> {
  const { container, barrier, store } = lane;
  const untilPhase = (name: JobPhase) => container.untilRunning(`phase ${name}`, ({ phase }) => phase === name);
  // At this rate megabytes take longer than any test.
  const trickle = { type: 'bandwidth', attributes: { rate: 1 } } as const;
  switch (phase) {
    case 'download': {
      const release = await store.poison('downstream', trickle);
      const run = await start();
      await untilPhase('download');
      return { run, release };
    }
    case 'encode': {
      await barrier.shut('ffmpeg', '/output-0');
      const run = await start();
      await container.process.until('encoder at the barrier', () => barrier.isReached('ffmpeg'));
      return { run, release: () => barrier.open() };
    }
    case 'verify': {
      await barrier.shut('ffprobe', '-count_packets');
      const run = await start();
      await container.process.until('check at the barrier', () => barrier.isReached('ffprobe'));
      return { run, release: () => barrier.open() };
    }
    case 'upload': {
      const { run, release: goOn } = await heldIn('verify', lane, start);
      const release = await store.poison('upstream', trickle);
      await goOn();
      await untilPhase('deliver');
      return { run, release };
    }
    case 'wait': {
      await barrier.shut('ffmpeg', '/output-0');
      const blocking = await container.submit('/encode', {
        sourceUrl: container.fileUrl('in.wav'),
        outputs: [{ format: 'mp3_128', uploadUrl: container.fileUrl('blocking.mp3') }],
      });
      const run = await start();
      await container.process.until('waiting run', async () => {
        const { state } = await run.handle.query<WorkflowStatus>(statusQuery);
        return state === 'waiting';
      });
      return {
        run,
        release: async () => {
          await barrier.open();
          // The job may be gone with its container.
          await container.call('DELETE', `/jobs/${blocking}`).catch(() => {});
        },
      };
    }
  }
}
