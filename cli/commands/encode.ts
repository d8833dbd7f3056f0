import type { OutputArguments } from '../media/describe-outputs.ts';
import { assertNoSharedPlaces } from '../media/output-names.ts';
import { OutputOwners } from '../media/output-owners.ts';
import { listSources } from '../media/source-list.ts';
import { describeEncode, placesOf, planOutputs, planTask, targetsOf } from '../run/encode-tasks.ts';
import { encodeCommand } from '../run/encode-workflow.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { RunOptions } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';

export interface EncodeOptions extends RunOptions, OutputArguments {}

export async function encode(texts: readonly string[], options: EncodeOptions, settings: Settings): Promise<number> {
  if (options.wait !== undefined) return await waitForRuns(encodeCommand, options.wait, options, settings);
  const { userFolder } = settings;
  const encode = describeEncode(options, settings);
  const listed = listSources(texts, { userFolder, isRecursive: options.recursive });
  const plans = listed.map((one) => planOutputs(one, encode));
  const owners = new OutputOwners(plans.map(({ source, delivery }) => ({ source, places: placesOf(delivery) })));
  const tasks = plans.map((plan) => planTask(plan, encode, owners));
  const wanted = tasks.filter((task) => 'delivery' in task);
  for (const path of options.overwrite ? wanted.flatMap(({ delivery }) => delivery.inputs) : []) {
    owners.assertNotReplaced(path);
  }
  assertNoSharedPlaces(wanted.map(({ source, delivery }) => ({ source, places: targetsOf(delivery) })));
  return await runCommand(encodeCommand, tasks, options, settings);
}
