import { join } from 'node:path';
import type { FileSettings } from '../../contract/file-settings.ts';
import type { RunLimits } from '../../engine/ffmpeg/limits.ts';
import { maxWatermarkBytes, openWatermark } from '../../engine/pictures/watermark-image.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { fetchLink, linkKey } from './fetch-link.ts';
import type { WatermarkImage } from '../../engine/plan/video-plan.ts';

/** Fetches each watermark once, before the source: an unusable one then costs no download of the source. */
export async function fetchWatermarks(
  outputs: readonly FileSettings[],
  transfer: MediaTransfer,
  limits: RunLimits,
  job: JobContext,
): Promise<(output: FileSettings) => WatermarkImage | undefined> {
  const images = new Map<string, WatermarkImage>();
  for (const { watermark } of outputs) {
    if (watermark === undefined || images.has(linkKey(watermark.link))) continue;
    const path = join(job.fetchedFolder, `watermark-${images.size}`);
    await fetchLink(watermark.link, 'watermark', maxWatermarkBytes, path, transfer, job);
    images.set(linkKey(watermark.link), await openWatermark(path, { limits, signal: job.signal }));
  }
  return ({ watermark }) => watermark && images.get(linkKey(watermark.link));
}
