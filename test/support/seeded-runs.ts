import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { searchableText } from '../../contract/search-attributes.ts';
import { defaultTaskQueue } from '../../contract/task-queues.ts';

const startsAtOnce = 32;

export const seededBeginning = 'encode-talk-';
export const seededId = (index: number): string => `${seededBeginning}${index}`;

interface Seed {
  /** Number of terminated runs, which come first. */
  ended: number;
  underWay: number;
  /** State of the other runs. */
  state: 'queued' | 'running';
}

/** Starts runs that no worker executes. */
export async function seedRuns({ workflow }: Client, { ended, underWay, state }: Seed): Promise<void> {
  const indexes = Array.from({ length: ended + underWay }, (_, index) => index);
  const seed = async (index: number): Promise<void> => {
    const sourceUrl = `s3://media/talk-${index}.wav`;
    const outputs = [{ format: 'mp3_64', uploadUrl: `s3://media/talk-${index}.mp3` }];
    const handle = await workflow.start('encode', {
      ...{ workflowId: seededId(index), taskQueue: defaultTaskQueue, args: [{ sourceUrl, outputs }] },
      searchAttributes: {
        HoldfastState: [index < ended ? 'queued' : state],
        HoldfastOwner: [`owner-${index % 10}`],
        HoldfastSource: [searchableText(sourceUrl)],
      },
    });
    if (index < ended) await handle.terminate();
  };
  await pMap(indexes, seed, { concurrency: startsAtOnce });
}
