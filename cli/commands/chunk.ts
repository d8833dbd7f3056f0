import { basename } from 'node:path';
import { ChunkingInput, ChunkingOutcome } from '../../contract/workflow/chunking.ts';
import { bring, assertNewFolder, parseDestination, uploadUrlPrefix } from '../media/destination.ts';
import { parseSource } from '../media/source.ts';
import { counted } from '../progress/counted.ts';
import { checked } from '../run/checked.ts';
import { chunksReport, headline } from '../run/report.ts';
import { runJob } from '../run/run-job.ts';
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

  return await runJob(
    {
      command: 'chunk',
      workflowType: 'chunking',
      source,
      target: chunkDuration === undefined ? 'chunks' : `chunks of ${chunkDuration} s`,
      input: (sourceUrl, staging) =>
        checked(ChunkingInput, {
          sourceUrl,
          chunkDuration,
          overlapDuration,
          uploadUrlPrefix: uploadUrlPrefix(destination, staging),
        }),
      async finish(result, staging, tookMs) {
        const outcome = ChunkingOutcome.parse(result);
        const places: string[] = [];
        for (const { url = '' } of outcome.chunks) {
          places.push(await bring(destination, staging, basename(new URL(url).pathname), { force, userFolder }));
        }
        const what = `Cut into ${counted(outcome.totalChunks, 'chunk')}`;
        return `${headline(what, tookMs, outcome)}\n${chunksReport(places, outcome.chunks)}`;
      },
    },
    settings,
  );
}
