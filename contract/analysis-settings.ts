import { analysisKindOf, type AnalysisOptions } from './http/analysis.ts';

export interface PeaksSettings {
  kind: 'peaks';
  /** samples in each pair of peaks */
  zoom: number;
  bits: 8 | 16;
  splitChannels: boolean;
  dataFormat: 'json' | 'dat';
}

/** What is made of the samples of an output, in place of encoding them. */
export type AnalysisSettings = PeaksSettings;

/** What an output's fields come to, the defaults included; undefined for encoded audio (pure). */
export function resolveAnalysis(request: AnalysisOptions): AnalysisSettings | undefined {
  const kind = analysisKindOf(request);
  switch (kind) {
    case undefined:
      return undefined;
    case 'peaks': {
      // audiowaveform's own defaults.
      const { zoom = 256, bits = 16, splitChannels = false, dataFormat = 'json' } = request;
      return { kind, zoom, bits, splitChannels, dataFormat };
    }
  }
}

/** The file that comes of it: the extension of its name, and its type. */
export function analysisFile(settings: AnalysisSettings): { extension: string; contentType: string } {
  switch (settings.kind) {
    case 'peaks':
      return settings.dataFormat === 'json'
        ? { extension: 'peaks.json', contentType: 'application/json' }
        : { extension: 'peaks.dat', contentType: 'application/octet-stream' };
  }
}
