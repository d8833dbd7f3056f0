import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { CliError } from '../cli-error.ts';
import { describeOutputs, type OutputArguments, type Wish } from '../media/describe-outputs.ts';
import { assertAbsent, assertNoFolders, assertWritable } from '../media/delivery.ts';
import { destinationBelow, isFolderName, parseDestination, uploadPlace } from '../media/destination.ts';
import type { NamedSource } from '../media/named-source.ts';
import { assertNoSharedPlaces, nameOutputs } from '../media/output-names.ts';
import { OutputOwners } from '../media/output-owners.ts';
import { readPresets } from '../media/presets.ts';
import { type DeliveryPlan, localInputs, type RunDelivery } from '../media/run-delivery.ts';
import { type CompanionFile, describeTags, type DescribedTags } from '../media/tag-arguments.ts';
import { type DescribedPictureFields, describePictureFields } from '../media/picture-fields.ts';
import { listSources, type ListedSource } from '../media/source-list.ts';
import { outputLabel } from '../../contract/output-label.ts';
import { formatHeadline, formatLeftOut, formatLoudnessChange, formatOutput } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { RunOptions, RunTask, SkippedTask, WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';

export interface EncodeOptions extends RunOptions, OutputArguments {}

const command: WorkflowCommand<'encode'> = {
  name: 'encode',
  workflowType: 'encode',
  async deliver(outcome, delivery, tookMs) {
    const lines = [formatHeadline(`Encoded to ${outcome.outputs.map(outputLabel).join(' + ')}`, tookMs, outcome)];
    for (const [index, output] of outcome.outputs.entries()) {
      lines.push(
        output.leftOut === undefined
          ? formatOutput(await deliverOutput(delivery, delivery.plan.names[index] ?? '', output), output)
          : formatLeftOut(output, output.leftOut),
      );
    }
    return lines.join('\n');
  },
  summarize: ({ outputs }) => ({
    loudness: formatLoudnessChange(outputs),
    notes: outputs.flatMap((output) => {
      const note = output.loudness?.note;
      return note === undefined ? [] : [`${outputLabel(output)}: ${note}`];
    }),
  }),
};

/** Returns the path of the file, or of the folder of its files. */
async function deliverOutput(delivery: RunDelivery, name: string, { files }: EncodedOutput): Promise<string> {
  if (files === undefined) return await delivery.deliver(name);
  for (const file of files) await delivery.deliver(name + file.name);
  return delivery.placeOf(name);
}

export async function encode(texts: readonly string[], options: EncodeOptions, settings: Settings): Promise<number> {
  if (options.wait !== undefined) return await waitForRuns(command, options.wait, options, settings);
  const { userFolder } = settings;
  const tags = describeTags(options, userFolder);
  const pictures = describePictureFields(options, userFolder);
  const presets = readPresets(settings.presetsFile);
  const wishes = describeOutputs(options, { tags, pictures, presets, userFolder });
  const listed = listSources(texts, { userFolder, isRecursive: options.recursive });
  const companions = [...tags.files, ...pictures.files];
  const plans = listed.map((one) => planOutputs(one, wishes, companions, options, userFolder));
  const owners = new OutputOwners(plans.map(({ source, delivery }) => ({ source, places: placesOf(delivery) })));
  const tasks = plans.map((plan) => planTask(plan, { tags, pictures }, owners, options));
  const wanted = tasks.filter((task) => 'delivery' in task);
  for (const path of options.overwrite ? wanted.flatMap(({ delivery }) => delivery.inputs) : []) {
    owners.assertNotReplaced(path);
  }
  assertNoSharedPlaces(wanted.map(({ source, delivery }) => ({ source, places: targetsOf(delivery) })));
  return await runCommand(command, tasks, options, settings);
}

function labelsOf(wishes: readonly Wish[]): string {
  return wishes.map(({ label }) => label).join(' + ');
}

interface OutputsPlan {
  source: NamedSource;
  outputs: (Wish & { name: string })[];
  delivery: DeliveryPlan;
}

function planOutputs(
  { source, subfolder }: ListedSource,
  wishes: readonly Wish[],
  companions: readonly CompanionFile[],
  { out, overwrite, skipExisting }: EncodeOptions,
  userFolder: string,
): OutputsPlan {
  const destination = destinationBelow(parseDestination(out, userFolder), subfolder);
  if (skipExisting && destination.kind === 'store') {
    throw new CliError('--skip-existing checks local files, so it cannot be used with --out s3://….');
  }
  const names = nameOutputs(source, wishes, destination);
  const outputs = wishes.map((wish, index) => ({ ...wish, name: names[index] ?? '' }));
  return { source, outputs, delivery: { destination, names, overwrite, inputs: localInputs(source, companions) } };
}

function planTask(
  { source, outputs, delivery: { destination, inputs } }: OutputsPlan,
  { tags, pictures }: { tags: DescribedTags; pictures: DescribedPictureFields },
  owners: OutputOwners,
  { overwrite, skipExisting }: EncodeOptions,
): RunTask | SkippedTask {
  const isThere = (name: string) => destination.kind === 'folder' && existsSync(join(destination.path, name));
  const isOutput = skipExisting && owners.isOutputOfAnother(source);
  const wanted = isOutput ? [] : skipExisting ? outputs.filter(({ name }) => !isThere(name)) : outputs;
  if (wanted.length === 0) {
    const skipped = isOutput ? 'It is the output of another source.' : 'Its outputs already exist.';
    return { source, target: labelsOf(outputs), skipped };
  }
  const delivery = { destination, names: wanted.map(({ name }) => name), overwrite, inputs };
  if (!overwrite) assertAbsent(placesOf(delivery));
  assertNoFolders(placesOf({ ...delivery, names: delivery.names.filter((name) => !isFolderName(name)) }));
  if (destination.kind === 'folder') assertWritable(destination.path);
  return {
    source,
    target: labelsOf(wanted),
    delivery,
    companions: [...tags.files, ...pictures.files],
    buildInput: (sourceUrl, staging) => ({
      sourceUrl,
      outputs: wanted.map(({ name, output, isTagged, isFilm }) => ({
        ...(isTagged && tags.fieldsAt((file) => staging.fileUrl(file))),
        ...(isFilm && pictures.fieldsAt((file) => staging.fileUrl(file))),
        ...output,
        ...uploadPlace(destination, staging, name),
      })),
    }),
  };
}

function targetsOf({ destination, names }: DeliveryPlan): string[] {
  return names.map((name) =>
    destination.kind === 'folder' ? join(destination.path, name) : `${destination.prefix}${name}`,
  );
}

/** Paths of the outputs on this machine. */
function placesOf(delivery: DeliveryPlan): string[] {
  return delivery.destination.kind === 'folder' ? targetsOf(delivery) : [];
}
