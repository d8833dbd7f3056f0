import { z } from 'zod';
import { analyses, analysisFacts, type AnalysisKind } from '../analyses.ts';

/** The fields of outputs that are no encoded audio; which of them go together, `checkAnalysisFields` says. */
export const analysisOptionsShape = {
  analysis: z.enum(['peaks']).optional(),
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
};

const AnalysisOptions = z.strictObject(analysisOptionsShape);
export type AnalysisOptions = z.infer<typeof AnalysisOptions>;

/** What an output may say whatever it is made to: of which samples it is, and where it goes. */
const commonFields = ['track', 'trim', 'fade', 'silence', 'level'];
const deliveryFields = new Set(['uploadUrl', 'headers', 'deliver']);

/** What an output is that is no encoded audio. */
export function analysisKindOf({ analysis }: Pick<AnalysisOptions, 'analysis'>): AnalysisKind | undefined {
  return analysis;
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
  for (const field of said) {
    if (field === asked || known.includes(field) || deliveryFields.has(field)) continue;
    refuse(field, `makes no sense for ${kind}, which takes ${known.join(', ')}`);
  }
}
