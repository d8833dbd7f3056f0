import { basename } from 'node:path';
import { formatCount } from '../../client/text/format-count.ts';
import { deliverOutput, assertNewFolder, parseDestination, uploadUrlPrefix } from '../media/destination.ts';
import { parseSource } from '../media/named-source.ts';
import { formatChunks, formatHeadline } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import type { Settings } from '../settings.ts';

export interface ChunkOptions {
  /** seconds */
  chunkDuration?: number;
  /** seconds */
  overlapDuration?: number;
  out?: string;
  force: boolean;
}

export async function chunk(sourceText: string, options: ChunkOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const { chunkDuration, overlapDuration, force } = options;
  const source = parseSource(sourceText, userFolder);
  const destination = parseDestination(options.out, userFolder, `${source.name}-chunks`);
  assertNewFolder(destination, force);

  return await runCommand(
    {
      name: 'chunk',
      workflowType: 'chunking',
      source,
      target: chunkDuration === undefined ? 'chunks' : `chunks of ${chunkDuration} s`,
      buildInput: (sourceUrl, staging) => ({
        sourceUrl,
        chunkDuration,
        overlapDuration,
        uploadUrlPrefix: uploadUrlPrefix(destination, staging),
      }),
      async finish(outcome, staging, tookMs) {
        const places: string[] = [];
        for (const { url = '' } of outcome.chunks) {
          places.push(
            await deliverOutput(destination, staging, basename(new URL(url).pathname), { force, userFolder }),
          );
        }
        const what = `Cut into ${formatCount(outcome.totalChunks, 'chunk')}`;
        return `${formatHeadline(what, tookMs, outcome)}\n${formatChunks(places, outcome.chunks)}`;
      },
    },
    settings,
  );
}
