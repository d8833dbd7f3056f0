import { join } from 'node:path';
import type { OutputSettings } from '../../contract/output-settings.ts';
import type { RunLimits } from '../../engine/ffmpeg/limits.ts';
import { maxWatermarkBytes, openWatermark } from '../../engine/pictures/watermark-image.ts';
import type { JobContext } from '../jobs/job.ts';
import type { MediaTransfer } from '../transfer/transfer.ts';
import { fetchLink, linkKey } from './fetch-link.ts';
import type { WatermarkImage } from '../../engine/plan/video-plan.ts';

/** The image of an output's watermark; undefined where it has none. */
export type LinkedWatermarks = (output: OutputSettings) => WatermarkImage | undefined;

/** Fetches the watermarks of all outputs, each file once, and before the source: what cannot be used costs no more than that. */
export async function fetchWatermarks(
  outputs: readonly OutputSettings[],
  transfer: MediaTransfer,
  limits: RunLimits,
  job: JobContext,
): Promise<LinkedWatermarks> {
  const images = new Map<string, WatermarkImage>();
  for (const { watermark } of outputs) {
    if (watermark === undefined || images.has(linkKey(watermark.link))) continue;
    const path = join(job.fetchedFolder, `watermark-${images.size}`);
    await fetchLink(watermark.link, 'watermark', maxWatermarkBytes, path, transfer, job);
    images.set(linkKey(watermark.link), await openWatermark(path, { limits, signal: job.signal }));
  }
  return ({ watermark }) => watermark && images.get(linkKey(watermark.link));
}
