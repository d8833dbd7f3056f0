import { basename } from 'node:path';
import { ProcessingInput, ProcessingOutcome } from '../../contract/workflow.ts';
import { bring, assertNewFolder, parseDestination, uploadUrlPrefix } from '../media/destination.ts';
import { parseSource } from '../media/source.ts';
import { counted } from '../progress/counted.ts';
import { checked } from '../run/checked.ts';
import { chunksReport, headline, outputReport } from '../run/report.ts';
import { runJob } from '../run/run-job.ts';
import type { Settings } from '../settings.ts';
import type { ChunkOptions } from './chunk.ts';

export interface ProcessOptions extends ChunkOptions {
  format?: string;
}

export async function process(sourceText: string, options: ProcessOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const { chunkDuration, overlapDuration, format, force } = options;
  const source = parseSource(sourceText, userFolder);
  const destination = parseDestination(options.out, userFolder, `${source.name}-processed`);
  assertNewFolder(destination, force);

  return await runJob(
    {
      command: 'process',
      workflowType: 'processing',
      source,
      target: `${format ?? 'opus_24'} in chunks`,
      input: (sourceUrl, staging) =>
        checked(ProcessingInput, {
          sourceUrl,
          format,
          chunkDuration,
          overlapDuration,
          uploadUrlPrefix: uploadUrlPrefix(destination, staging),
        }),
      async finish(result, staging, tookMs) {
        const outcome = ProcessingOutcome.parse(result);
        const placeOf = async (url: string) =>
          await bring(destination, staging, basename(new URL(url).pathname), { force, userFolder });
        const encoded = outputReport(await placeOf(outcome.encoded.url), outcome.encoded);
        const places: string[] = [];
        for (const { url } of outcome.chunks) places.push(await placeOf(url));
        const what = `Encoded and cut into ${counted(outcome.chunks.length, 'chunk')}`;
        return [headline(what, tookMs, outcome), encoded, chunksReport(places, outcome.chunks)].join('\n');
      },
    },
    settings,
  );
}
