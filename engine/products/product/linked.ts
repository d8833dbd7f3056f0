import type { EncryptionSettings } from '../../../contract/encryption-settings.ts';
import type { FileSettings } from '../../../contract/file-settings.ts';
import type { WatermarkImage } from '../../plan/video-plan.ts';
import type { SubtitleOfLink } from '../../subtitles/subtitle-source.ts';
import type { LinkedTags } from '../../tags/output-tags.ts';

/** Files that a request links to. */
export interface Linked {
  tags: LinkedTags;
  watermarkOf(output: FileSettings): WatermarkImage | undefined;
  subtitleOf: SubtitleOfLink;
  /** 16 bytes; no log, answer or file may contain them. */
  keyOf(key: EncryptionSettings['key']): Buffer;
}
