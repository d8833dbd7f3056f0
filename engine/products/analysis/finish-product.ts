import { analysisFile } from '../../../contract/analysis-settings.ts';
import { roundToMilliseconds } from '../../../contract/milliseconds.ts';
import type { FinishedProduct } from '../product/finished-product.ts';
import type { MadeAnalysis, MadeReport } from './make-product.ts';

/** The file was already read back when it was made. */
export function finishAnalysis({ product, found, seconds }: MadeAnalysis): FinishedProduct {
  const { contentType } = analysisFile(product.analysis);
  const { channels, sampleRate } = product.samples.audio;
  const duration = roundToMilliseconds(seconds);
  return {
    facts: { ...product.named, contentType, duration, channels, sampleRate, ...found },
    files: [{ name: '', path: product.path, contentType }],
  };
}

export function finishReport({ product, seconds: duration }: MadeReport): FinishedProduct {
  const contentType = 'application/json';
  return {
    facts: { ...product.named, contentType, duration },
    files: [{ name: '', path: product.path, contentType }],
  };
}
