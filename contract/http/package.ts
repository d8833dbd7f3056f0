import { z } from 'zod';
import { AudioOptions, Track } from './audio.ts';
import { VideoOptions } from './video.ts';

const packageKinds = ['hls', 'dash'] as const;
export type PackageKind = (typeof packageKinds)[number];

/** One size of a package's pictures. */
const Rendition = VideoOptions.pick({ width: true, height: true, crf: true, maxBitrate: true }).refine(
  ({ width, height }) => width !== undefined || height !== undefined,
  { error: 'needs a width or a height' },
);
export type Rendition = z.infer<typeof Rendition>;

export const PackageTrack = AudioOptions.extend({
  /** Track of the source; default: the first. */
  track: Track.optional(),
  /** Language that players show (BCP 47); default: that of the source's track. */
  language: z
    .string()
    .regex(/^[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$/, { error: 'must be a language such as en, deu or pt-BR' })
    .optional(),
  /** Name that players show. Playlists allow plain characters only. */
  name: z
    .string()
    .regex(/^[\p{L}\p{M}\p{N} ()._-]{1,60}$/u, { error: 'must be of letters, digits and spaces, 60 at most' })
    .optional(),
});
export type PackageTrack = z.infer<typeof PackageTrack>;

/** Fields of a package for streaming (docs/reference/packages.md). */
export const packageOptionsShape = {
  package: z
    .array(z.enum(packageKinds))
    .min(1)
    .max(packageKinds.length)
    .refine((kinds) => new Set(kinds).size === kinds.length, { error: 'names one of them twice' })
    .optional(),
  /** `auto`: sizes that suit the source. */
  renditions: z.union([z.literal('auto'), z.array(Rendition).min(1).max(8)]).optional(),
  /** Trial encodings of the film choose the sizes and bitrates; requires `auto`. */
  perTitle: z.boolean().optional(),
  /** Maximum segment length, rounded to whole pictures. */
  segmentSeconds: z.number().min(1).max(30).optional(),
  /** One file per segment, or one per rendition that players fetch by byte ranges. */
  layout: z.enum(['files', 'byte_ranges']).optional(),
  /** Thumbnails that players show above their timeline. */
  thumbnails: z.boolean().optional(),
};

const PackageOptions = z.strictObject(packageOptionsShape);
export type PackageOptions = z.infer<typeof PackageOptions>;

/** Fields that only packages take. */
export const packageFields = [
  ...(['renditions', 'perTitle', 'segmentSeconds', 'layout', 'thumbnails', 'encryption'] as const),
];

interface PossiblePackage extends PackageOptions {
  format?: string | undefined;
  preset?: string | undefined;
  container?: string | undefined;
  audio?: unknown;
  encryption?: unknown;
}

/**
 * Refuses fields that packages do not take, and package fields on other outputs. The resolver checks those of presets.
 */
export function checkPackageFields(output: PossiblePackage, refuse: (field: string, message: string) => void): void {
  if (output.package === undefined) {
    if (output.preset !== undefined) return;
    for (const field of packageFields) {
      if (output[field] !== undefined) refuse(field, 'is for packages: give a package, or a preset of one');
    }
    if (Array.isArray(output.audio)) refuse('audio', 'may be a list only for packages');
    return;
  }
  for (const field of ['format', 'container'] as const) {
    if (output[field] !== undefined) refuse(field, 'does not apply to a package, whose files are fragmented MP4');
  }
}
