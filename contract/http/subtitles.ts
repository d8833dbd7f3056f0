import { z } from 'zod';
import { Track } from './audio.ts';
import { TransferHeaders } from './headers.ts';
import { orObject } from './or-object.ts';
import { checkLinkHeaders, type FileLink } from './tags.ts';
import { ContainerSourceUrl } from './url.ts';

/** Encodings, named as the Encoding Standard does, of text without a byte order mark that is not UTF-8. */
const encodings = [
  ...(['utf-8', 'utf-16le', 'utf-16be', 'windows-1250', 'windows-1251', 'windows-1252', 'windows-1253'] as const),
  ...(['windows-1254', 'windows-1255', 'windows-1256', 'iso-8859-1', 'iso-8859-2', 'iso-8859-15', 'koi8-r'] as const),
  ...(['gb18030', 'big5', 'shift_jis', 'euc-kr'] as const),
] as const;

/** Tracks that files say of themselves are fewer. */
const maxTracks = 32;

/** The subtitles of an output with pictures; links are as the one takes them who is asked. */
export function subtitlesSchema<Url extends z.ZodType<string>, Headers extends z.ZodType<Record<string, unknown>>>(
  url: Url,
  headers: Headers,
) {
  const link = { url, headers: headers.optional(), encoding: z.enum(encodings).optional() };
  const File = z.strictObject(link).superRefine((file, context) => checkLinkHeaders(file as FileLink, context));
  const Added = z
    .strictObject({
      ...link,
      language: z
        .string()
        .regex(/^[a-z]{3}$/, { error: 'must be the three letters of a language (ISO 639-2), such as eng or deu' })
        .optional(),
      title: z.string().min(1).max(200).optional(),
      /** Players choose it. */
      default: z.boolean().optional(),
      /** It translates foreign speech alone, for those who need no other subtitles. */
      forced: z.boolean().optional(),
    })
    .superRefine((file, context) => checkLinkHeaders(file as FileLink, context));
  const Kept = z.union([z.literal(true), z.array(Track).min(1).max(maxTracks)], {
    error: 'must be true, or a list of tracks such as [0, "deu"]',
  });
  return orObject(
    z.enum(['drop', 'keep', 'burn'], {
      error: 'must be "drop", "keep" or "burn", or say what is kept, added or burnt',
    }),
    z.strictObject({
      /** Tracks of the source. */
      keep: Kept.optional(),
      /** Files that become tracks behind those. */
      add: z.array(Added).min(1).max(maxTracks).optional(),
      /** Drawn over the pictures: a track of the source, or a file. */
      burn: orObject(Track, File).optional(),
    }),
  );
}

export const ContainerSubtitles = subtitlesSchema(ContainerSourceUrl, TransferHeaders);
export type ContainerSubtitles = z.infer<typeof ContainerSubtitles>;
export type SubtitleEncoding = (typeof encodings)[number];

/** A track of an output, as it came out. */
const WrittenSubtitles = z.object({
  /** ffprobe's name */
  codec: z.string(),
  language: z.string().optional(),
  title: z.string().optional(),
  isDefault: z.boolean(),
  isForced: z.boolean(),
  /** Number of timed texts; subtitles that are pictures have none. */
  cues: z.number().int().optional(),
});

/** What became of the subtitles of an output. */
export const SubtitleFacts = z.object({
  /** Those in the file, in their order. */
  tracks: z.array(WrittenSubtitles),
  /** Those that were drawn over the pictures. */
  burnt: z
    .object({
      /** Text only. */
      cues: z.number().int().optional(),
      /** Characters that no font has which draws them, such as emoji, and that were left out. */
      undrawn: z.string().optional(),
    })
    .optional(),
  /** Tracks of the source that were to be kept with all others, and cannot be: why. */
  left: z.array(z.object({ track: z.number().int(), codec: z.string(), reason: z.string() })).optional(),
});
export type SubtitleFacts = z.infer<typeof SubtitleFacts>;
