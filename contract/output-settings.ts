import type { AnalysisSettings } from './analysis-settings.ts';
import type { FileSettings } from './file-settings.ts';
import type { FilmImageSettings } from './film-image-settings.ts';
import type { PackageSettings } from './package-settings.ts';
import type { OutputNaming } from './unsupported-output.ts';

/** Figures or a picture of the sound. */
export interface AnalysisOutput extends OutputNaming {
  kind: 'analysis';
  analysis: AnalysisSettings;
  /** Decoded sound that the analysis reads. */
  samples: FileSettings;
  /** Leaves the output out if the source lacks what it needs. */
  isOptional: boolean;
}

/** One or more images made from a film. */
export interface ImageOutput extends OutputNaming {
  kind: 'image';
  image: FilmImageSettings;
  /** See `AnalysisOutput`. */
  isOptional: boolean;
}

/** One output of a request, with its preset and its defaults applied. */
export type OutputSettings = FileSettings | PackageSettings | AnalysisOutput | ImageOutput;

/** Encoded files of an output; they define its sound, links and subtitles (pure). */
export function fileSettingsOf(output: OutputSettings): FileSettings[] {
  switch (output.kind) {
    case 'file':
      return [output];
    case 'package':
      return [output.common, ...output.tracks.map((track) => track.output)];
    case 'analysis':
      return [output.samples];
    case 'image':
      return [];
  }
}
