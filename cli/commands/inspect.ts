import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { resolveAnalysis, analysisFile } from '../../contract/analysis-settings.ts';
import type { AnalysisOptions } from '../../contract/http/analysis.ts';
import { AudioReport } from '../../contract/http/report.ts';
import { CliError } from '../cli-error.ts';
import { formatReport } from '../inspect/format-report.ts';
import { assertAbsent, assertNoFolders, assertWritable } from '../media/delivery.ts';
import { parseDestination, uploadUrl } from '../media/destination.ts';
import { parseSource } from '../media/named-source.ts';
import { nameOutputs } from '../media/output-names.ts';
import type { RunDelivery } from '../media/run-delivery.ts';
import { runCommand } from '../run/run-command.ts';
import type { WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { printable } from '../text/printable.ts';

export interface InspectOptions {
  out?: string;
  overwrite: boolean;
  json: boolean;
}

/** Peaks of 8 bits are more than a line of text shows. */
const peaksFullScale = 128;

const wanted: readonly AnalysisOptions[] = [
  { analysis: 'report' },
  { analysis: 'peaks', zoom: 2048, bits: 8 },
  { image: 'waveform' },
  { image: 'spectrogram' },
];

/** What is kept where a person asks for files; peaks are for the terminal. */
const keptOnDisk = (output: AnalysisOptions): boolean => output.analysis !== 'peaks';

function commandFor(outputs: readonly AnalysisOptions[], isKept: boolean): WorkflowCommand<'encode'> {
  const readStaged = async (delivery: RunDelivery, index: number): Promise<unknown> =>
    JSON.parse(await readFile(delivery.stagedPath(delivery.plan.names[index] ?? '') ?? '', 'utf8')) as unknown;
  const readReport = async (delivery: RunDelivery): Promise<AudioReport> =>
    AudioReport.parse(await readStaged(delivery, 0));
  return {
    name: 'inspect',
    workflowType: 'encode',
    resultOf: async (outcome, delivery) => ({ source: outcome.source, report: await readReport(delivery) }),
    async deliver(_outcome, delivery) {
      const report = await readReport(delivery);
      const { data } = (await readStaged(delivery, 1)) as { data: number[] };
      const text = formatReport(
        report,
        data.map((value) => value / peaksFullScale),
      );
      if (!isKept) return text;
      const places: string[] = [];
      for (const [index, output] of outputs.entries()) {
        if (keptOnDisk(output)) places.push(await delivery.deliver(delivery.plan.names[index] ?? ''));
      }
      return [text, '', ...places.map((place) => `  ${printable(place)}`)].join('\n');
    },
  };
}

/** Tells what the sound of a recording is like, and writes the pictures of it where a folder is given. */
export async function inspect(text: string, options: InspectOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const source = parseSource(text, userFolder);
  const isKept = options.out !== undefined;
  const destination = parseDestination(options.out, userFolder);
  if (destination.kind === 's3') throw new CliError('--out of `npm run inspect` takes a folder of this machine.');
  const outputs = wanted.filter((output) => isKept || output.image === undefined);
  const named = outputs.map((output) => {
    const analysis = resolveAnalysis(output);
    return {
      label: output.analysis ?? output.image ?? '',
      extension: analysis === undefined ? '' : analysisFile(analysis).extension,
    };
  });
  const names = nameOutputs(source, named, destination);
  const { overwrite, json } = options;
  if (isKept) {
    const places = names.flatMap((name, index) => {
      const output = outputs[index];
      return output !== undefined && keptOnDisk(output) ? [join(destination.path, name)] : [];
    });
    if (!overwrite) assertAbsent(places);
    assertNoFolders(places);
    assertWritable(destination.path);
  }
  const task = {
    source,
    target: 'report',
    delivery: { destination, names, overwrite },
    buildInput: (sourceUrl: string, staging: Parameters<typeof uploadUrl>[1]) => ({
      sourceUrl,
      outputs: outputs.map((output, index) => ({
        ...output,
        uploadUrl: uploadUrl(destination, staging, names[index] ?? ''),
      })),
    }),
  };
  const runOptions = { overwrite, json, skipExisting: false, recursive: false, detach: false };
  return await runCommand(commandFor(outputs, isKept), [task], runOptions, settings);
}
