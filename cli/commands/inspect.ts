import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnalysisOptions } from '../../contract/http/analysis.ts';
import { MediaReport } from '../../contract/http/report.ts';
import { builtInPresets } from '../../contract/presets.ts';
import { resolveOutput } from '../../contract/resolve-output.ts';
import { formatCount } from '../../client/text/format-count.ts';
import { CliError } from '../cli-error.ts';
import { findPackageIndex } from '../inspect/package-index.ts';
import { formatReport } from '../inspect/format-report.ts';
import { extensionOf } from '../media/describe-outputs.ts';
import { assertAbsent, assertNoFolders, assertWritable } from '../media/delivery.ts';
import { parseDestination, uploadUrl } from '../media/destination.ts';
import { parseSource } from '../media/named-source.ts';
import { nameOutputs } from '../media/output-names.ts';
import { localInputs, type RunDelivery } from '../media/run-delivery.ts';
import { runCommand } from '../run/run-command.ts';
import type { WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { printable } from '../text/printable.ts';
import { widthOf } from '../text/wrap-text.ts';
import { inspectPackage } from './inspect-package.ts';

export interface InspectOptions {
  out?: string;
  overwrite: boolean;
  json: boolean;
  /** Decode each segment of a package. */
  decode: boolean;
}

/** 8-bit peaks are more precise than a line of text. */
const peaksFullScale = 128;

/** `optional`: silent films and audio files lack some of these. */
const wanted: readonly AnalysisOptions[] = [
  { analysis: 'report' },
  { analysis: 'peaks', zoom: 2048, bits: 8, optional: true },
  { image: 'waveform', optional: true },
  { image: 'spectrogram', optional: true },
  { image: 'contact-sheet', optional: true },
];

/** Peaks are only for the terminal. */
const keptOnDisk = (output: AnalysisOptions): boolean => output.analysis !== 'peaks';

/** Reasons for a missing output that need no message. */
const expectedCodes: ReadonlySet<string> = new Set(['no_audio', 'no_video']);

function commandFor(outputs: readonly AnalysisOptions[], isKept: boolean): WorkflowCommand<'encode'> {
  const readStaged = async (delivery: RunDelivery, index: number): Promise<unknown> =>
    JSON.parse(await readFile((await delivery.stagedPath(delivery.plan.names[index] ?? '')) ?? '', 'utf8')) as unknown;
  const readReport = async (delivery: RunDelivery): Promise<MediaReport> =>
    MediaReport.parse(await readStaged(delivery, 0));
  return {
    name: 'inspect',
    workflowType: 'encode',
    resultOf: async (outcome, delivery) => ({ source: outcome.source, report: await readReport(delivery) }),
    async deliver({ outputs: made }, delivery) {
      const report = await readReport(delivery);
      const hasSound = made[1]?.leftOut === undefined;
      const { data } = hasSound ? ((await readStaged(delivery, 1)) as { data: number[] }) : { data: [] };
      const text = formatReport(
        report,
        data.map((value) => value / peaksFullScale),
        widthOf(process.stdout),
      );
      if (!isKept) return text;
      const lines: string[] = [];
      for (const [index, output] of outputs.entries()) {
        const name = delivery.plan.names[index] ?? '';
        const { leftOut, tiles } = made[index] ?? {};
        if (leftOut === undefined && keptOnDisk(output)) {
          const every = tiles && tiles.count > 1 ? `, one every ${tiles.interval} s` : '';
          const grid = tiles && ` (${formatCount(tiles.count, 'picture')}${every})`;
          lines.push((await delivery.deliver(name)) + (grid ?? ''));
        }
        if (leftOut !== undefined && !expectedCodes.has(leftOut.code)) lines.push(`no ${name}: ${leftOut.error}`);
      }
      return [text, '', ...lines.map((line) => `  ${printable(line)}`)].join('\n');
    },
  };
}

/** Inspects a streaming package, or an audio or video file. With `--out`, also writes images of the file. */
export async function inspect(text: string, options: InspectOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const index = findPackageIndex(text, userFolder);
  if (index !== undefined) {
    if (options.out !== undefined || options.overwrite) {
      throw new CliError('--out and --overwrite do not apply to packages: only audio and video files have outputs.');
    }
    return await inspectPackage(index, options, settings);
  }
  if (!options.decode)
    throw new CliError('--no-decode applies only to packages: a playlist, a manifest, or the folder of both.');
  const source = parseSource(text, userFolder);
  const isKept = options.out !== undefined;
  const destination = parseDestination(options.out, userFolder);
  if (destination.kind === 'store') throw new CliError('--out of `npx holdfast inspect` must be a local folder.');
  const outputs = wanted.filter((output) => isKept || output.image === undefined);
  const named = outputs.map((output) => {
    const settings = resolveOutput(output, builtInPresets);
    return { label: settings.label, extension: extensionOf(settings) };
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
    delivery: { destination, names, overwrite, inputs: localInputs(source) },
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
