import { z } from 'zod';
import { checkSourceHeaders, TransferHeaders } from './headers.ts';
import { ChapterPauses } from './silence.ts';
import { ContainerSourceUrl, HttpUrl } from './url.ts';
import { recordOf } from '../record.ts';

/** Limit that every format can hold; Ogg numbers chapters with three digits. */
export const maxChapters = 1000;

const maxMetadataEntries = 64;
export const maxShortTextCharacters = 1024;
/** Limit of comment, description, synopsis, lyrics and custom keys. */
export const maxLongTextCharacters = 16_384;

/** Bytes in ffmpeg's arguments; all outputs of a job fit into Linux's limit of 2 MiB. */
export const maxWrittenMetadataBytes = 65_536;

/** Bytes of one metadata argument. */
export function metadataBytes(name: string, value: string): number {
  return new TextEncoder().encode(name + value).length;
}

/** Tags that players show on one line. */
export const shortTextNames: ReadonlySet<string> = new Set([
  ...[
    'title',
    'artist',
    'album',
    'album_artist',
    'composer',
    'date',
    'track',
    'disc',
    'genre',
    'language',
    'copyright',
  ],
  ...['url', 'publisher', 'encoded_by', 'grouping'],
]);

/** Names that Vorbis comments allow, too. */
const metadataName = /^[a-zA-Z][a-zA-Z0-9 _.-]{0,63}$/;

/** Names that control players and decoders instead of describing the file. */
export const reservedMetadataName =
  /^(?:chapter\d.*|metadata_block_picture|coverart.*|waveformatextensible_channel_mask|replaygain_.*|r128_.*|itun(?:smpb|norm|pgap)|encoder|encoder_options|major_brand|minor_version|compatible_brands)$/i;

/** Values with a required form; others may be any text. */
const valuePatterns: Readonly<Record<string, { pattern: RegExp; problem: string }>> = {
  date: {
    pattern: /^\d{4}(?:-(?:0[1-9]|1[0-2])(?:-(?:0[1-9]|[12]\d|3[01])(?:T[\d:.Z+-]{0,24})?)?)?$/,
    problem: 'must be a date such as 2026-11-22 or 2026',
  },
  track: { pattern: /^\d{1,5}(?:\/\d{1,5})?$/, problem: 'must be a number such as 3, or 3/12' },
  disc: { pattern: /^\d{1,5}(?:\/\d{1,5})?$/, problem: 'must be a number such as 1, or 1/2' },
  language: {
    pattern: /^[a-zA-Z]{2,3}(?:-[a-zA-Z0-9]{2,8}){0,3}$/,
    problem: 'must be a language such as eng, en or de-AT',
  },
  url: { pattern: /^https?:\/\/[^\s]+$/i, problem: 'must be a URL that starts with http:// or https://' },
};

function metadataProblem(name: string, value: string): string | undefined {
  if (!metadataName.test(name))
    return 'is not a valid name: use at most 64 letters, digits, spaces, dots, dashes and _, beginning with a letter';
  if (reservedMetadataName.test(name)) return 'is a reserved name';
  if (
    name !== name.toLowerCase() &&
    (shortTextNames.has(name.toLowerCase()) || /^(?:comment|description)$/i.test(name))
  ) {
    return `is written ${name.toLowerCase()}`;
  }
  const max = shortTextNames.has(name) ? maxShortTextCharacters : maxLongTextCharacters;
  if (value.length > max) return `may have ${max} characters at most`;
  const rule = Object.hasOwn(valuePatterns, name) ? valuePatterns[name] : undefined;
  return rule === undefined || value === '' || rule.pattern.test(value) ? undefined : rule.problem;
}

/**
 * Known names are title, artist, album, date, track, genre, comment, description, language, copyright and url; others
 * are custom keys. An empty value removes the source's.
 */
export const Metadata = recordOf(z.string(), z.union([z.string(), z.number().int().min(0).max(99_999)])).superRefine(
  (metadata, context) => {
    const entries = Object.entries(metadata);
    if (entries.length > maxMetadataEntries) {
      context.addIssue({ code: 'custom', message: `has more than ${maxMetadataEntries} entries` });
      return;
    }
    for (const [name, value] of entries) {
      const message = metadataProblem(name, String(value));
      if (message !== undefined) context.addIssue({ code: 'custom', message, path: [name.slice(0, 64)] });
    }
  },
);
export type Metadata = z.infer<typeof Metadata>;

const KeepOrNone = z.enum(['keep', 'none']);

const ListedChapter = z.strictObject({
  /** seconds of the source */
  start: z.number().min(0).max(10_000_000),
  title: z.string().max(maxShortTextCharacters),
  url: HttpUrl.optional(),
});

/** Two chapters that start in the same millisecond would leave one without length. */
function checkStarts(chapters: readonly { start: number }[], context: z.RefinementCtx): void {
  const seen = new Map<number, number>();
  for (const [index, { start }] of chapters.entries()) {
    const startMs = Math.round(start * 1000);
    const other = seen.get(startMs);
    if (other !== undefined) {
      context.addIssue({
        code: 'custom',
        message: `begins where chapter ${other} begins, too`,
        path: [index, 'start'],
      });
    }
    seen.set(startMs, index);
  }
}

const ChapterList = z.array(ListedChapter).min(1).max(maxChapters).superRefine(checkStarts);

const ChaptersFromSilence = z.strictObject({ fromSilence: ChapterPauses });

/** A file that is fetched like the source. */
export interface FileLink {
  url: string;
  headers?: Record<string, unknown> | undefined;
}

/** Refinement of a link. */
export function checkLinkHeaders({ url, headers }: FileLink, context: z.RefinementCtx): void {
  checkSourceHeaders({ sourceUrl: url, headers }, context);
}

/** Fields of an output's tags. The schema of links differs between container and workflow. */
export function tagOptionsShape<Link extends z.ZodType<FileLink>>(link: Link) {
  return {
    metadata: Metadata.optional(),
    /**
     * A list, a podcast chapters file (JSON, version 1.2), chapters that begin after pauses, or those of the source.
     */
    chapters: z
      .union([KeepOrNone, ChapterList, ChaptersFromSilence, link], {
        error: 'must be "keep", "none", a list of {start, title}, {url} or {fromSilence}',
      })
      .optional(),
    cover: z.union([KeepOrNone, link], { error: 'must be "keep", "none" or {url}' }).optional(),
  };
}

const ContainerLink = z
  .strictObject({ url: ContainerSourceUrl, headers: TransferHeaders.optional() })
  .superRefine(checkLinkHeaders);
export type ContainerLink = z.infer<typeof ContainerLink>;

export const containerTagOptions = tagOptionsShape(ContainerLink);

/** Tag fields of an output. */
export type TagOptions = z.infer<z.ZodObject<typeof containerTagOptions>>;
