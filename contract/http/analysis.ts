import { z } from 'zod';
import { analyses, analysisFacts, type AnalysisKind, kindsAskedBy } from '../analyses.ts';
import { Fit } from './video.ts';

/** `#rrggbb`, or `#rrggbbaa` with opacity. */
export const HexColor = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, { error: 'must be a color such as #3f4d9b or #3f4d9b80' });

/** Files per output; the answer lists each of them. */
export const mostThumbnails = 500;

const timeProblem = 'must be "auto", seconds from the beginning of the film, or a part of it such as "10%"';

export const PictureTime = z.union(
  [
    z.literal('auto', { error: timeProblem }),
    z.number().min(0, { error: timeProblem }).max(1e6, { error: timeProblem }),
    z.string().regex(/^(?:100|\d{1,2}(?:\.\d{1,6})?)%$/, { error: timeProblem }),
  ],
  { error: timeProblem },
);
export type PictureTime = z.infer<typeof PictureTime>;

/** Fields of outputs that are not encoded media; `checkAnalysisFields` checks which of them go together. */
export const analysisOptionsShape = {
  image: z.enum(kindsAskedBy('image')).optional(),
  analysis: z.enum(kindsAskedBy('analysis')).optional(),
  /** Samples per pair of peaks; name and limits are audiowaveform's. */
  zoom: z
    .number()
    .int()
    .min(2)
    .max(2 ** 31 - 1)
    .optional(),
  bits: z.literal([8, 16]).optional(),
  /** Computes peaks of each channel instead of peaks of their mean. */
  splitChannels: z.boolean().optional(),
  /** audiowaveform's JSON, or its binary format. */
  dataFormat: z.enum(['json', 'dat']).optional(),
  /** pixels */
  width: z.number().int().min(1).max(16_384).optional(),
  height: z.number().int().min(1).max(8192).optional(),
  imageFormat: z.enum(['jpeg', 'png', 'webp', 'avif', 'svg', 'mp4']).optional(),
  colors: z.strictObject({ background: HexColor.optional(), waveform: HexColor.optional() }).optional(),
  /** Time of the picture. */
  at: PictureTime.optional(),
  /** How a picture of another shape is fitted into width and height. */
  fit: Fit.optional(),
  /** Lossy images only; 100 is the best. */
  quality: z.number().int().min(1).max(100).optional(),
  count: z.number().int().min(1).max(mostThumbnails).optional(),
  /** Seconds from one picture to the next. */
  interval: z.number().min(0.1).max(86_400).optional(),
  cuts: z.number().int().min(1).max(20).optional(),
  /** Seconds per excerpt. */
  cutDuration: z.number().min(0.2).max(10).optional(),
  /** Leaves the output out if the source lacks what it needs. */
  optional: z.boolean().optional(),
};

export const AnalysisOptions = z.strictObject(analysisOptionsShape);
export type AnalysisOptions = z.infer<typeof AnalysisOptions>;

/**
 * Fields of an output as those of an analysis or image (pure). `quality: true` is dropped: it asks for a measurement of
 * encoded pictures.
 */
export function analysisOptionsOf<Output extends { quality?: number | boolean | undefined }>(
  output: Output,
): Omit<Output, 'quality'> & Pick<AnalysisOptions, 'quality'> {
  const { quality, ...others } = output;
  return typeof quality === 'number' ? { ...others, quality } : others;
}

/** Fields that select samples; images take pictures from the whole film. */
const sampleFields = ['track', 'trim', 'fade', 'silence', 'level'];
/** Destination of the file, and whether it may be missing. */
const fieldsOfAll = new Set(['uploadUrl', 'uploadUrlPrefix', 'headers', 'deliver', 'optional']);

/** Kind of an output that is not encoded media. */
export function analysisKindOf(output: Pick<AnalysisOptions, 'analysis' | 'image'>): AnalysisKind | undefined {
  return output.analysis ?? output.image;
}

/** Refuses each field that the output's kind does not take. */
export function checkAnalysisFields(output: AnalysisOptions, refuse: (field: string, message: string) => void): void {
  const kind = analysisKindOf(output);
  const said = Object.entries(output).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (kind === undefined) {
    for (const field of said.filter((name) => Object.hasOwn(analysisOptionsShape, name))) {
      const takes = (name: string): boolean => analysisFacts(name as AnalysisKind).fields.includes(field);
      const users = Object.keys(analyses).filter((name) => fieldsOfAll.has(field) || takes(name));
      refuse(field, `is for ${users.join(' and ')}, and not for encoded audio or video`);
    }
    return;
  }
  const { asked, of, fields, formats, most } = analysisFacts(kind);
  const known = [...fields, ...(of === 'samples' ? sampleFields : [])];
  if (output.analysis !== undefined && output.image !== undefined) refuse('image', 'give either analysis or image');
  for (const field of said) {
    if (field === 'image' || field === asked || known.includes(field) || fieldsOfAll.has(field)) continue;
    refuse(field, `does not apply to ${kind}, which takes ${known.join(', ')}`);
  }
  if (output.count !== undefined && output.interval !== undefined) refuse('interval', 'give either count or interval');
  const { imageFormat } = output;
  if (imageFormat !== undefined && formats !== undefined && !formats.includes(imageFormat)) {
    refuse('imageFormat', `is ${formats.join(' or ')} for ${kind}`);
  }
  for (const side of ['width', 'height'] as const) {
    if (most !== undefined && (output[side] ?? 0) > most[side]) refuse(side, `is at most ${most[side]} for ${kind}`);
  }
}
