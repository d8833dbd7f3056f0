import './plain-zod.ts';
import { CaptionStyle } from '../../contract/captions.ts';
import { cueWordsOf, spokenSegmentsOf } from '../../contract/transcript/spoken.ts';
import type { Transcript } from '../../contract/transcript/transcript.ts';
import { type TranscriptFile, transcriptFiles } from '../../contract/transcript/transcript-files.ts';
import { saveFile } from './save-file.ts';

/** Saves the transcript as a file. `captions`: the layout of the run's input. */
export function exportTranscript(transcript: Transcript, kind: TranscriptFile['kind'], captions: unknown): void {
  const style = CaptionStyle.safeParse(captions ?? {}).data ?? CaptionStyle.parse({});
  const words = spokenSegmentsOf(transcript).flatMap(cueWordsOf);
  const file = transcriptFiles(transcript, words, style).files.find((each) => each.kind === kind);
  if (file !== undefined) saveFile(file.name, file.contentType, file.text);
}
