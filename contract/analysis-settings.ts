import type { AnalysisKind, FilmImageKind } from './analyses.ts';
import type { AnalysisOptions } from './http/analysis.ts';

export interface PeaksSettings {
  kind: 'peaks';
  /** samples in each pair of peaks */
  zoom: number;
  bits: 8 | 16;
  splitChannels: boolean;
  dataFormat: 'json' | 'dat';
}

/** pixels */
export interface ImageSize {
  width: number;
  height: number;
}

/** Red, green, blue and opacity, 0 to 255 each. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number];

export interface WaveformSettings extends ImageSize {
  kind: 'waveform';
  imageFormat: 'png' | 'svg';
  colors: { background: Color; waveform: Color };
  splitChannels: boolean;
}

export interface SpectrogramSettings extends ImageSize {
  kind: 'spectrogram';
}

export interface ReportSettings {
  kind: 'report';
}

/** Settings of an output that analyses samples instead of encoding them. */
export type AnalysisSettings = PeaksSettings | ReportSettings | SpectrogramSettings | WaveformSettings;

function readColor(text: string): Color {
  const partAt = (place: number): number => Number.parseInt(text.slice(place, place + 2), 16);
  return [partAt(1), partAt(3), partAt(5), text.length > 7 ? partAt(7) : 255];
}

/** Applies the defaults of an analysis (pure). */
export function resolveAnalysis(
  kind: Exclude<AnalysisKind, FilmImageKind>,
  request: AnalysisOptions,
): AnalysisSettings {
  switch (kind) {
    case 'peaks': {
      // audiowaveform's defaults.
      const { zoom = 256, bits = 16, splitChannels = false, dataFormat = 'json' } = request;
      return { kind, zoom, bits, splitChannels, dataFormat };
    }
    case 'waveform': {
      const { width = 1800, height = 280, colors = {}, splitChannels = false } = request;
      const imageFormat = request.imageFormat === 'svg' ? 'svg' : 'png';
      // audiowaveform's default colors, and the size that pages usually give it.
      const { background = '#ffffff', waveform = '#3f4d9b' } = colors;
      const parsed = { background: readColor(background), waveform: readColor(waveform) };
      return { kind, width, height, imageFormat, colors: parsed, splitChannels };
    }
    case 'spectrogram': {
      const { width = 1800, height = 512 } = request;
      return { kind, width, height };
    }
    case 'report':
      return { kind };
  }
}

const imageTypes = { png: 'image/png', svg: 'image/svg+xml' } as const;

/** File extension and media type of an analysis. */
export function analysisFile(settings: AnalysisSettings): { extension: string; contentType: string } {
  switch (settings.kind) {
    case 'peaks':
      return settings.dataFormat === 'json'
        ? { extension: 'peaks.json', contentType: 'application/json' }
        : { extension: 'peaks.dat', contentType: 'application/octet-stream' };
    case 'waveform':
      return { extension: `waveform.${settings.imageFormat}`, contentType: imageTypes[settings.imageFormat] };
    case 'spectrogram':
      return { extension: 'spectrogram.png', contentType: imageTypes.png };
    case 'report':
      return { extension: 'report.json', contentType: 'application/json' };
  }
}
