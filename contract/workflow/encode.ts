import { z } from 'zod';
import { analysisKindOf } from '../http/analysis.ts';
import { encodeRequestShape, maxOutputs, SourceFacts } from '../http/encode.ts';
import { checkSourceHeaders, checkUploadHeaders } from '../http/headers.ts';
import { checkDescribedOutput, describedOutputShape, EncodedOutput } from '../http/output.ts';
import { checkLinkHeaders, tagOptionsShape } from '../http/tags.ts';
import { UploadUrlPrefix, WorkflowUrl } from '../http/url.ts';
import { hasSeveralFiles } from '../several-files.ts';
import { subtitlesSchema } from '../http/subtitles.ts';
import { watermarkSchema } from '../http/watermark.ts';
import { linkedFiles } from '../linked-files.ts';
import { builtInPresets } from '../presets.ts';
import { checkInputsKept, haveOwnTargets, type InputFile, targetIssue, type TargetPlace } from '../places.ts';
import { namesOfOutput } from '../written-names.ts';
import { commonInputShape, weightHasKey, weightIssue } from './common-input.ts';
import { WorkflowEncryption } from './encryption.ts';
import { WorkflowHeaders } from './headers.ts';
import { AttemptCounts } from './retry.ts';
import { SpreadInput, SpreadOutcome } from './spread.ts';
import { checkCaptions, OutputCaptions, RunTranscript, transcriptPlace } from './transcript.ts';
import { TranscriptFiles } from './transcript-files.ts';

const WorkflowLink = z
  .strictObject({ url: WorkflowUrl, headers: WorkflowHeaders.optional() })
  .superRefine(checkLinkHeaders);
export type WorkflowLink = z.infer<typeof WorkflowLink>;

type PossibleSet = Parameters<typeof hasSeveralFiles>[0];

/** Whether only containers know if the output has several files: its preset is one of PRESETS_FILE. */
function isOfOwnPreset(output: PossibleSet): boolean {
  if (output.preset === undefined || output.package !== undefined || analysisKindOf(output) !== undefined) return false;
  return !Object.hasOwn(builtInPresets, output.preset);
}

function checkPlace(
  output: PossibleSet & { uploadUrl?: unknown; uploadUrlPrefix?: unknown },
  context: z.RefinementCtx,
): void {
  const { uploadUrl, uploadUrlPrefix } = output;
  const refuse = (field: string, message: string): void => context.addIssue({ code: 'custom', message, path: [field] });
  if (isOfOwnPreset(output)) {
    if ((uploadUrl === undefined) === (uploadUrlPrefix === undefined)) {
      refuse('uploadUrl', 'give either uploadUrl or uploadUrlPrefix: a preset of a package needs the prefix');
    }
    return;
  }
  const isSet = hasSeveralFiles(output);
  if (isSet && uploadUrl !== undefined) {
    refuse('uploadUrl', 'names one file, but this output has several: use uploadUrlPrefix');
  }
  if (!isSet && uploadUrlPrefix !== undefined) {
    refuse('uploadUrlPrefix', 'is for outputs of several files, but this output is one file: use uploadUrl');
  }
  const needed = isSet ? 'uploadUrlPrefix' : 'uploadUrl';
  if (uploadUrl === undefined && uploadUrlPrefix === undefined)
    refuse(needed, 'is missing: it says where the output is stored');
}

/** Files that a run reads; presets may link to further ones. */
export function inputFilesOf({ sourceUrl, outputs }: { sourceUrl: string; outputs: readonly object[] }): InputFile[] {
  return [
    { field: 'sourceUrl', url: sourceUrl },
    ...outputs.flatMap((output, index) => linkedFiles(output, `outputs.${index}`)),
  ];
}

function targetsOf({
  outputs,
}: {
  outputs: readonly { uploadUrl?: string | undefined; uploadUrlPrefix?: string | undefined }[];
}): TargetPlace[] {
  return outputs.flatMap(({ uploadUrl, uploadUrlPrefix }, index): TargetPlace[] => [
    ...(uploadUrl === undefined ? [] : [{ path: ['outputs', index, 'uploadUrl'], url: uploadUrl }]),
    ...(uploadUrlPrefix === undefined
      ? []
      : [{ path: ['outputs', index, 'uploadUrlPrefix'], url: uploadUrlPrefix, names: namesOfOutput }]),
  ]);
}

/** The container's request, with `s3:` URLs and with headers that may refer to variables of the worker. */
export const EncodeInput = z
  .strictObject({
    ...encodeRequestShape,
    sourceUrl: WorkflowUrl,
    headers: WorkflowHeaders.optional(),
    outputs: z
      .array(
        z
          .strictObject({
            ...describedOutputShape,
            ...tagOptionsShape(WorkflowLink),
            watermark: watermarkSchema(WorkflowUrl, WorkflowHeaders).optional(),
            encryption: WorkflowEncryption.optional(),
            subtitles: subtitlesSchema(WorkflowUrl, WorkflowHeaders).optional(),
            uploadUrl: WorkflowUrl.optional(),
            /** Outputs of several files only. */
            uploadUrlPrefix: UploadUrlPrefix.optional(),
            headers: WorkflowHeaders.optional(),
            /** The run's transcript as captions. */
            captions: OutputCaptions.optional(),
          })
          .superRefine(checkDescribedOutput)
          .superRefine(checkPlace),
      )
      .min(1)
      .max(maxOutputs)
      .refine(haveOwnTargets, targetIssue)
      .superRefine(checkUploadHeaders),
    /** Encodes films, or sound without pictures, on several containers. */
    spread: SpreadInput.optional(),
    /** Set if an output has `captions`. */
    transcript: RunTranscript.optional(),
    /** Set if the outputs are samples of a later run. Estimates ignore the run. */
    preview: z.literal(true).optional(),
    ...commonInputShape,
  })
  .refine(weightHasKey, weightIssue)
  .superRefine(checkSourceHeaders)
  .superRefine(checkCaptions)
  .superRefine((input, context) => {
    const [inputs, targets] = [inputFilesOf(input), targetsOf(input)];
    checkInputsKept(inputs, targets, context);
    if (input.transcript === undefined) return;
    const outputs = targets.map(({ path, url }) => ({ field: path.join('.'), url }));
    checkInputsKept([...inputs, ...outputs], [transcriptPlace(input.transcript)], context);
  });
export type EncodeInput = z.infer<typeof EncodeInput>;

export const EncodeOutcome = AttemptCounts.extend({
  outputs: z.array(EncodedOutput),
  source: SourceFacts,
  /** Set if the input has `spread`. */
  spread: SpreadOutcome.optional(),
  /** Set if the input has `transcript`. */
  transcript: TranscriptFiles.optional(),
});
export type EncodeOutcome = z.infer<typeof EncodeOutcome>;
