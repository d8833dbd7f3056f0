import type { ContainerSubtitles } from '../../contract/http/subtitles.ts';
import type { ContainerWatermark } from '../../contract/http/watermark.ts';
import { describeSubtitleArguments, type SubtitleArguments } from './subtitle-arguments.ts';
import type { CompanionFile } from './tag-arguments.ts';
import { describeWatermark, type WatermarkArguments } from './watermark-arguments.ts';

/** Watermark and subtitles of the outputs with pictures, and the local files that they need. */
export interface DescribedPictureFields {
  files: CompanionFile[];
  /** Fields of an output; `urlOf` gives the URLs of the files. */
  fieldsAt(urlOf: (name: string) => string): { watermark?: ContainerWatermark; subtitles?: ContainerSubtitles };
}

export function describePictureFields(
  typed: WatermarkArguments & SubtitleArguments,
  userFolder: string,
): DescribedPictureFields {
  const watermark = describeWatermark(typed, userFolder);
  const subtitles = describeSubtitleArguments(typed, userFolder);
  return {
    files: [...(watermark?.file === undefined ? [] : [watermark.file]), ...(subtitles?.files ?? [])],
    fieldsAt: (urlOf) => ({
      ...(watermark !== undefined && { watermark: watermark.fieldAt(urlOf) }),
      ...(subtitles !== undefined && { subtitles: subtitles.fieldAt(urlOf) }),
    }),
  };
}
