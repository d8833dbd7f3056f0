import { z } from 'zod';
import { outputOptionsShape } from './output-options.ts';
import { tagOptionsShape } from './tags.ts';
import { ContainerSourceUrl } from './url.ts';
import { subtitlesSchema } from './subtitles.ts';
import { watermarkSchema } from './watermark.ts';

/** A name for the options of an output. */
export const Preset = z.strictObject({
  /** What it is for, as people read it. */
  description: z.string().max(200).optional(),
  ...outputOptionsShape,
  // Presets are shown to whoever asks, so their links have no headers.
  ...tagOptionsShape(z.strictObject({ url: ContainerSourceUrl })),
  watermark: watermarkSchema(ContainerSourceUrl, z.never()).optional(),
  subtitles: subtitlesSchema(ContainerSourceUrl, z.never()).optional(),
});
export type Preset = z.infer<typeof Preset>;

/** What `GET /presets` answers. */
export const PresetsBody = z.object({ presets: z.array(Preset.extend({ name: z.string() })) });
export type PresetsBody = z.infer<typeof PresetsBody>;
