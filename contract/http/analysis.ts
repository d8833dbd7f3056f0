import { z } from 'zod';
import { analyses, analysisFacts, type AnalysisKind, kindsAskedBy } from '../analyses.ts';

/** Pixels: no page or screen shows more, and a player draws what is wider from peaks. */
const maxImageWidth = 16_384;
const maxImageHeight = 2048;

/** `#rrggbb`, or with how much it covers: `#rrggbbaa`. */
export const HexColor = z
  .string()
  .regex(/^#(?:[0-9a-fA-F]{6}|[0-9a-fA-F]{8})$/, { error: 'must be a color such as #3f4d9b or #3f4d9b80' });

/** The fields of outputs that are no encoded audio; which of them go together, `checkAnalysisFields` says. */
export const analysisOptionsShape = {
  image: z.enum(kindsAskedBy('image')).optional(),
  analysis: z.enum(kindsAskedBy('analysis')).optional(),
  /** Samples in each pair of peaks: audiowaveform's name and limits. */
  zoom: z
    .number()
    .int()
    .min(2)
    .max(2 ** 31 - 1)
    .optional(),
  /** of a peak */
  bits: z.literal([8, 16]).optional(),
  /** Peaks of each channel, in place of those of their mean. */
  splitChannels: z.boolean().optional(),
  /** audiowaveform's JSON, or its binary format. */
  dataFormat: z.enum(['json', 'dat']).optional(),
  /** of an image; pixels */
  width: z.number().int().min(1).max(maxImageWidth).optional(),
  height: z.number().int().min(1).max(maxImageHeight).optional(),
  imageFormat: z.enum(['png', 'svg']).optional(),
  colors: z.strictObject({ background: HexColor.optional(), waveform: HexColor.optional() }).optional(),
};

export const AnalysisOptions = z.strictObject(analysisOptionsShape);
export type AnalysisOptions = z.infer<typeof AnalysisOptions>;

/** Of which samples it is made. */
const commonFields = ['track', 'trim', 'fade', 'silence', 'level'];
/** Where its file goes. */
const deliveryFields = new Set(['uploadUrl', 'uploadUrlPrefix', 'headers', 'deliver']);

/** What an output is that is no encoded audio. */
export function analysisKindOf(output: Pick<AnalysisOptions, 'analysis' | 'image'>): AnalysisKind | undefined {
  return output.analysis ?? output.image;
}

/** Refuses each field that makes no sense for what the output is. */
export function checkAnalysisFields(output: AnalysisOptions, refuse: (field: string, message: string) => void): void {
  const kind = analysisKindOf(output);
  const said = Object.entries(output).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  if (kind === undefined) {
    for (const field of said.filter((name) => Object.hasOwn(analysisOptionsShape, name))) {
      const users = Object.keys(analyses).filter((name) => analysisFacts(name as AnalysisKind).fields.includes(field));
      refuse(field, `is for ${users.join(' and ')}, and not for encoded audio`);
    }
    return;
  }
  const { asked, fields } = analysisFacts(kind);
  const known = [...fields, ...commonFields];
  if (output.analysis !== undefined && output.image !== undefined) refuse('image', 'give either analysis or image');
  for (const field of said) {
    if (field === 'image' || field === asked || known.includes(field) || deliveryFields.has(field)) continue;
    refuse(field, `makes no sense for ${kind}, which takes ${known.join(', ')}`);
  }
}
