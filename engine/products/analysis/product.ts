import { finishAnalysis, finishReport } from './finish-product.ts';
import { analyseSamples, checkSamples, planSamples } from './make-product.ts';
import { planAnalysis } from './plan-product.ts';
import { writeSilentReport } from './report/silent-report.ts';

/** Figures or a picture of the sound. */
export const analysisProduct = {
  plan: planAnalysis,
  planSamples,
  checkSamples,
  make: analyseSamples,
  makeReport: writeSilentReport,
  finish: finishAnalysis,
  finishReport,
};
