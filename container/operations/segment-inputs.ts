import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { FileSettings } from '../../contract/file-settings.ts';
import type { EncodeResult } from '../../contract/http/encode.ts';
import type { EncodePart } from '../../contract/http/part.ts';
import { fileSettingsOf, type OutputSettings } from '../../contract/output-settings.ts';
import { MediaError } from '../../engine/media-error.ts';
import type { WatermarkImage } from '../../engine/plan/video-plan.ts';
import type { SubtitleOfLink } from '../../engine/subtitles/subtitle-source.ts';

/** Fields of a link. A presigned URL is another one for each job. */
const linkFields: ReadonlySet<string> = new Set(['url', 'headers']);

interface LinkedPictures {
  watermarkOf: (output: FileSettings) => WatermarkImage | undefined;
  subtitleOf: SubtitleOfLink;
}

/** Digest of what segments and sound are made from beside the source (contract/http/part.ts). */
export async function digestInputs(
  settings: readonly OutputSettings[],
  { watermarkOf, subtitleOf }: LinkedPictures,
): Promise<string> {
  const drawn: object[] = [];
  for (const file of settings.flatMap(fileSettingsOf)) {
    const image = watermarkOf(file);
    const { burn } = file.subtitles ?? {};
    drawn.push({
      watermark: image && sha256Of(await readFile(image.path)),
      subtitles: burn && 'link' in burn ? subtitleOf(burn.link) : undefined,
    });
  }
  return sha256Of(
    JSON.stringify({ settings, drawn }, (name, value: unknown) => (linkFields.has(name) ? undefined : value)),
  );
}

const sha256Of = (content: string | Buffer): string => createHash('sha256').update(content).digest('hex');

/** Throws if a segment or the sound would be made from other inputs than those of the plan. */
export function checkInputs(part: EncodePart | undefined, inputsSha256: string | undefined): void {
  const planned = part?.kind === 'segment' || part?.kind === 'sound' ? part.inputsSha256 : undefined;
  if (planned === undefined || planned === inputsSha256) return;
  throw new MediaError(
    'segment_mismatch',
    'A watermark, a file of burnt subtitles or a preset was changed after the segments were planned.',
  );
}

/** Adds the digest to the result of a plan. */
export function withInputs(result: EncodeResult, inputsSha256: string | undefined): EncodeResult {
  return result.part?.kind === 'plan' ? { ...result, part: { ...result.part, inputsSha256 } } : result;
}
