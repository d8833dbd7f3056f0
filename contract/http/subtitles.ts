import { z } from 'zod';
import { Track } from './audio.ts';
import { TransferHeaders } from './headers.ts';
import { orObject } from './either.ts';
import { checkLinkHeaders, type FileLink } from './tags.ts';
import { ContainerSourceUrl } from './url.ts';

/** Encodings for text without a byte order mark that is not UTF-8; names of the Encoding Standard. */
const encodings = [
  ...(['utf-8', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253'] as const),
  ...(['windows-1254', 'windows-1255', 'windows-1256', 'iso-8859-1', 'iso-8859-2', 'iso-8859-15', 'koi8-r'] as const),
  ...(['gb18030', 'big5', 'shift_jis', 'euc-kr'] as const),
] as const;

/** More than real files have. */
export const maxTracks = 32;

export const SubtitleLanguage = z
  .string()
  .regex(/^[a-z]{3}$/, { error: 'must be the three letters of a language (ISO 639-2), such as eng or deu' });

/** Properties of a subtitle track. */
export const subtitleTrackShape = {
  language: SubtitleLanguage.optional(),
  title: z.string().min(1).max(200).optional(),
  /** Players select it by default. */
  default: z.boolean().optional(),
};

/** Subtitles of an output with pictures. The schema of links differs between container and workflow. */
export function subtitlesSchema<Url extends z.ZodType<string>, Headers extends z.ZodType<Record<string, unknown>>>(
  url: Url,
  headers: Headers,
) {
  const link = {
    url,
    headers: headers.optional(),
    encoding: z.enum(encodings).optional(),
    /** `sound`: its times are those of an output of the sound alone, as of a transcript, and not those of the film. */
    clock: z.literal('sound', { error: 'must be "sound"' }).optional(),
  };
  const File = z.strictObject(link).superRefine((file, context) => checkLinkHeaders(file as FileLink, context));
  const Added = z
    .strictObject({
      ...link,
      ...subtitleTrackShape,
      /** It translates foreign speech only, for viewers who need no other subtitles. */
      forced: z.boolean().optional(),
    })
    .superRefine((file, context) => checkLinkHeaders(file as FileLink, context));
  const Kept = z.union([z.literal(true), z.array(Track).min(1).max(maxTracks)], {
    error: 'must be true, or a list of tracks such as [0, "deu"]',
  });
  return orObject(
    z.enum(['drop', 'keep', 'burn'], {
      error: 'must be "drop", "keep" or "burn", or an object with keep, add or burn',
    }),
    z.strictObject({
      /** Tracks of the source. */
      keep: Kept.optional(),
      /** Files that become tracks after the kept ones. */
      add: z.array(Added).min(1).max(maxTracks).optional(),
      /** Subtitles drawn onto the pictures: a track of the source, or a file. */
      burn: orObject(Track, File).optional(),
    }),
  );
}

export const ContainerSubtitles = subtitlesSchema(ContainerSourceUrl, TransferHeaders);
export type ContainerSubtitles = z.infer<typeof ContainerSubtitles>;
export type SubtitleEncoding = (typeof encodings)[number];

/** A subtitle track as written. */
const WrittenSubtitles = z.object({
  /** ffprobe's name */
  codec: z.string(),
  language: z.string().optional(),
  title: z.string().optional(),
  isDefault: z.boolean(),
  isForced: z.boolean(),
  /** Number of cues; bitmap subtitles have none. */
  cues: z.number().int().optional(),
});

/** Subtitles of a finished output. */
export const SubtitleFacts = z.object({
  /** Tracks in the file, in order. */
  tracks: z.array(WrittenSubtitles),
  /** Subtitles that were drawn onto the pictures. */
  burnt: z
    .object({
      /** Text only. */
      cues: z.number().int().optional(),
      /** Characters, such as emoji, that no installed font has; they were left out. */
      undrawn: z.string().optional(),
    })
    .optional(),
  /** Tracks of the source that could not be kept, with the reason. */
  left: z.array(z.object({ track: z.number().int(), codec: z.string(), reason: z.string() })).optional(),
});
export type SubtitleFacts = z.infer<typeof SubtitleFacts>;
