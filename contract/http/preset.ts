import { z } from 'zod';
import { outputOptionsShape } from './output-options.ts';
import { tagOptionsShape } from './tags.ts';
import { ContainerSourceUrl } from './url.ts';
import { subtitlesSchema } from './subtitles.ts';
import { watermarkSchema } from './watermark.ts';

/** Named options of an output. */
export const Preset = z.strictObject({
  /** Purpose, for people. */
  description: z.string().max(200).optional(),
  ...outputOptionsShape,
  // Presets are public, so their links have no headers.
  ...tagOptionsShape(z.strictObject({ url: ContainerSourceUrl })),
  watermark: watermarkSchema(ContainerSourceUrl, z.never()).optional(),
  subtitles: subtitlesSchema(ContainerSourceUrl, z.never()).optional(),
});
export type Preset = z.infer<typeof Preset>;

/** Answer of `GET /presets`. */
export const PresetsBody = z.object({ presets: z.array(Preset.extend({ name: z.string() })) });
export type PresetsBody = z.infer<typeof PresetsBody>;
