import { join } from 'node:path';
import type { EncodeRequest, EncodeResult } from '../../contract/http/encode.ts';
import { joinSource } from '../../engine/source/joined-source.ts';
import type { Presets } from '../../contract/presets.ts';
import type { EncodeLimits, PictureLimits } from '../../engine/ffmpeg/limits.ts';
import { countWhereNeeded } from '../../engine/source/count-samples.ts';
import { openSource } from '../../engine/source/source.ts';
import { openSubtitles } from '../../engine/subtitles/open-subtitles.ts';
import { openPictures } from '../../engine/source/pictures/open-pictures.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import type { SegmentedCounters } from '../../engine/sound/segmented/counters.ts';
import { finishOutputs } from './finish-output.ts';
import { fetchKeys } from './linked-keys.ts';
import { fetchLinkedTags } from './linked-tags.ts';
import { fetchWatermarks } from './linked-watermarks.ts';
import { fetchSubtitles } from './linked-subtitles.ts';
import { makePlanned } from './make-planned.ts';
import { planOutputs } from './plan-outputs.ts';
import { settleOutputs } from './settle-outputs.ts';

interface EncodeDeps {
  transfer: MediaTransfer;
  limits: EncodeLimits & PictureLimits;
  counters: SegmentedCounters;
  presets: Presets;
}

/** From the source's URL to the stored files (docs/reference/encode.md): nothing is uploaded before every output has been checked. */
export async function runEncodeJob(
  request: EncodeRequest,
  { transfer, counters, presets, ...deps }: EncodeDeps,
  job: JobContext,
): Promise<EncodeResult> {
  const limits = { ...deps.limits, writableFolder: job.folder };
  const input = join(job.fetchedFolder, 'input');
  const settings = settleOutputs(request, presets, limits);
  await transfer.checkUploads(request.outputs, job.signal);
  const tags = await fetchLinkedTags(
    settings.map((output) => output.tags),
    transfer,
    limits,
    job,
  );
  const watermarkOf = await fetchWatermarks(settings, transfer, limits, job);
  const encryptionOf = await fetchKeys(settings, transfer, job);
  const subtitleOf = await fetchSubtitles(settings, transfer, limits, job);
  const identity = await transfer.download(request, input, job);

  job.advance('probe', 0);
  const joined = await joinSource(await openSource(input, limits, job.signal), limits, job);
  const timed = await openPictures(joined, settings, limits, job);
  const read = await openSubtitles(timed, settings, { limits, job });
  const source = await countWhereNeeded(read, settings, limits, job);
  const linked = { tags, watermarkOf, subtitleOf, encryptionOf };
  const outputs = await planOutputs(request, settings, source, linked, limits, job);

  const encodeParallelism = request.parallel === false ? 1 : limits.encodeParallelism;
  const made = await makePlanned(outputs, source, { limits: { ...limits, encodeParallelism }, counters, job });
  const finished = await finishOutputs(outputs, made.outputs, { transfer, limits }, job);
  await transfer.uploadAll(
    outputs.flatMap((planned, output) => {
      const { target } = planned;
      return (finished.get(planned)?.files ?? []).map((file) => ({ ...file, output, target }));
    }),
    job,
  );
  return {
    success: true,
    jobId: job.jobId,
    outputs: [...finished.values()].map(({ facts }) => facts),
    source: made.source,
    identity,
  };
}
