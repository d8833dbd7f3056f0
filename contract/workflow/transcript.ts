import { z } from 'zod';
import { type CaptionedSound, captionedTracks } from '../captioned-tracks.ts';
import { RequestedCaptionStyle } from '../captions.ts';
import { defaultProcessingFormat } from '../defaults.ts';
import { formatExtension } from '../formats.ts';
import { chunkRequestShape, overlapIsShorter, overlapIssue } from '../http/chunk.ts';
import { maxTracks, subtitleTrackShape } from '../http/subtitles.ts';
import { UploadUrlPrefix } from '../http/url.ts';
import { builtInPresets } from '../presets.ts';
import type { TargetPlace } from '../places.ts';
import { ProviderChoice } from '../provider.ts';
import { isRecord } from '../unknown-values.ts';
import { namesOfProcessing } from '../written-names.ts';

/** The transcript that a run of `encode` makes for the captions of its outputs, by a run of `processing`. */
export const RunTranscript = z
  .strictObject({
    /** Place of the transcript and of the chunks that a provider transcribes. */
    uploadUrlPrefix: UploadUrlPrefix,
    /** Default: the provider on the worker's machine. */
    provider: ProviderChoice.optional(),
    chunkDuration: chunkRequestShape.chunkDuration,
    overlapDuration: chunkRequestShape.overlapDuration,
    /** Layout of the captions. */
    captions: RequestedCaptionStyle.optional(),
  })
  .refine(overlapIsShorter, overlapIssue);
export type RunTranscript = z.infer<typeof RunTranscript>;

/** The run's transcript in an output with pictures: as a track, or drawn onto the pictures. */
export const OutputCaptions = z.union([z.literal(true), z.literal('burn'), z.strictObject(subtitleTrackShape)], {
  error: 'must be true, "burn", or describe the track with language (three letters of ISO 639-2), title and default',
});
export type OutputCaptions = z.infer<typeof OutputCaptions>;

/** Fields of an output that decide whether it can have captions. */
interface CaptionedOutput extends CaptionedSound {
  captions?: OutputCaptions | undefined;
  subtitles?: unknown;
  fragmented?: unknown;
  preset?: unknown;
  video?: unknown;
  package?: unknown;
}

interface CaptionedInput {
  outputs: readonly CaptionedOutput[];
  transcript?: RunTranscript | undefined;
}

/** Refuses captions that no output could show, before anything is transcribed. */
export function checkCaptions({ outputs, transcript }: CaptionedInput, context: z.RefinementCtx): void {
  const refuse = (path: PropertyKey[], message: string): void => context.addIssue({ code: 'custom', message, path });
  for (const [index, output] of outputs.entries()) {
    const problem = problemOfCaptions(output, transcript);
    if (problem !== undefined) refuse(['outputs', index, 'captions'], problem);
  }
  if (transcript !== undefined && outputs.every(({ captions }) => captions === undefined)) {
    refuse(
      ['transcript'],
      'is for captions: give an output "captions", or start `processing` for the transcript alone',
    );
  }
  const tracks = captionedTracks(outputs);
  if (tracks.length < 2) return;
  const named = tracks.map((track) => track ?? 'the first').join(', ');
  refuse(
    ['transcript'],
    `is of one audio track, but outputs with captions have several (${named}): start a run for each`,
  );
}

function problemOfCaptions(output: CaptionedOutput, transcript: RunTranscript | undefined): string | undefined {
  const { captions, subtitles, fragmented } = output;
  if (captions === undefined) return undefined;
  if (transcript === undefined) return 'needs "transcript" in the input, which says where the transcript goes';
  if (!mayHavePictures(output)) return 'needs pictures: request a video or a package';
  const isBurnt = subtitles === 'burn' || (isRecord(subtitles) && subtitles['burn'] !== undefined);
  if (captions === 'burn') return isBurnt ? 'cannot be burnt in beside other subtitles: burn one of them' : undefined;
  if (fragmented === true) return 'cannot be a track of a fragmented file: burn them in';
  const added = isRecord(subtitles) && Array.isArray(subtitles['add']) ? subtitles['add'].length : 0;
  if (added < maxTracks) return undefined;
  return `would be track ${added + 1} beside the added subtitles, and the limit is ${maxTracks}: add fewer, or burn them in`;
}

/** Only containers know the presets of PRESETS_FILE. */
function mayHavePictures({ preset, video, package: packaged }: CaptionedOutput): boolean {
  if (video !== undefined) return video !== false;
  if (packaged !== undefined) return true;
  if (typeof preset !== 'string') return false;
  const known = Object.entries(builtInPresets).find(([name]) => name === preset)?.[1];
  return known === undefined || ('video' in known ? known.video !== false : 'package' in known);
}

/** The place of the transcript, in which there must be no input and no output. */
export function transcriptPlace({ uploadUrlPrefix: url }: RunTranscript): TargetPlace {
  const names = namesOfProcessing(formatExtension(defaultProcessingFormat));
  return { path: ['transcript', 'uploadUrlPrefix'], url, names };
}
