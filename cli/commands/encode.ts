import type { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { outputLabel } from '../../contract/output-label.ts';
import { estimateOf, type PreviewEstimate, secondsAfter, wholeSpeedIn } from '../../contract/preview.ts';
import type { OutputArguments } from '../media/describe-outputs.ts';
import { needsTranscriber } from '../media/film-captions.ts';
import { assertNoSharedPlaces } from '../media/output-names.ts';
import { OutputOwners } from '../media/output-owners.ts';
import type { RunDelivery } from '../media/run-delivery.ts';
import { listSources } from '../media/source-list.ts';
import { describeEncode, placesOf, planOutputs, planTask, targetsOf } from '../run/encode-tasks.ts';
import { encodeCommand } from '../run/encode-workflow.ts';
import { estimateRuns } from '../run/estimate-runs.ts';
import { formatEstimate } from '../run/format-estimate.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { RunOptions, WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { prepareTranscriber } from '../stack/transcriber-setup.ts';

export interface EncodeOptions extends RunOptions, OutputArguments {
  /** Encodes ten seconds from the middle, with an estimate for the whole. */
  preview?: true;
  /** Prints the expected time, size and cost, and starts no run. */
  estimate?: true;
}

/** Adds what the preview tells about the whole: its size, and its time if ffmpeg has reported a speed. */
function previewCommand({ trimStart: start, trimEnd: end }: EncodeOptions): WorkflowCommand<'encode'> {
  const speeds = new WeakMap<RunDelivery, number>();
  const estimate = ({ outputs, source }: EncodeOutcome, delivery: RunDelivery): PreviewEstimate =>
    estimateOf(outputs, secondsAfter({ start, end }, source.duration), speeds.get(delivery));
  return {
    ...encodeCommand,
    observe(delivery, status) {
      const speed = wholeSpeedIn(status);
      if (speed !== undefined) speeds.set(delivery, speed);
    },
    deliver: async (outcome, delivery, tookMs) =>
      [
        await encodeCommand.deliver(outcome, delivery, tookMs),
        ...formatEstimate(outcome.outputs.map(outputLabel), estimate(outcome, delivery)),
      ].join('\n'),
    resultOf: async (outcome, delivery) => Promise.resolve({ ...outcome, estimate: estimate(outcome, delivery) }),
  };
}

export async function encode(texts: readonly string[], options: EncodeOptions, settings: Settings): Promise<number> {
  if (options.wait !== undefined) return await waitForRuns(encodeCommand, options.wait, options, settings);
  const { userFolder } = settings;
  const encode = describeEncode(options, settings);
  const listed = listSources(texts, { userFolder, isRecursive: options.recursive });
  const plans = listed.map((one) => planOutputs(one, encode));
  if (options.estimate === true) return await estimateRuns(plans, options, settings);
  const owners = new OutputOwners(plans.map(({ source, delivery }) => ({ source, places: placesOf(delivery) })));
  const tasks = plans.map((plan) => planTask(plan, encode, owners));
  const wanted = tasks.filter((task) => 'delivery' in task);
  for (const path of options.overwrite ? wanted.flatMap(({ delivery }) => delivery.inputs) : []) {
    owners.assertNotReplaced(path);
  }
  assertNoSharedPlaces(wanted.map(({ source, delivery }) => ({ source, places: targetsOf(delivery) })));
  const command = options.preview === true ? previewCommand(options) : encodeCommand;
  const { captions } = encode;
  const prepare: typeof command.prepare = (stack, say) => prepareTranscriber(stack, settings, say);
  const isTranscribed = captions !== undefined && needsTranscriber(captions);
  return await runCommand(isTranscribed ? { ...command, prepare } : command, tasks, options, settings);
}
