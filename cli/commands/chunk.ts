import { join } from 'node:path';
import { formatCount } from '../../client/text/format-count.ts';
import { deliverList, readChunks } from '../media/delivered-chunks.ts';
import { assertWritable } from '../media/delivery.ts';
import {
  assertNewFolder,
  destinationBelow,
  holdsFiles,
  parseDestination,
  uploadUrlPrefix,
  type Destination,
} from '../media/destination.ts';
import { assertNoSharedPlaces } from '../media/output-names.ts';
import { listSources, type ListedSource } from '../media/source-list.ts';
import { formatChunks, formatHeadline } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { RunOptions, RunTask, SkippedTask, WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';

export interface ChunkOptions extends RunOptions {
  /** Seconds, as is the overlap. */
  chunkDuration?: number;
  overlapDuration?: number;
}

const command: WorkflowCommand<'chunking'> = {
  name: 'chunk',
  workflowType: 'chunking',
  async deliver(outcome, delivery, tookMs) {
    const chunks = await readChunks(outcome, delivery);
    const places: string[] = [];
    for (const { file } of chunks ?? []) places.push(await delivery.deliver(file));
    await deliverList(outcome, delivery);
    const what = `Cut into ${formatCount(outcome.totalChunks, 'chunk')}`;
    const lines = chunks === undefined ? `  all are in ${outcome.chunksUrl}` : formatChunks(places, chunks);
    return `${formatHeadline(what, tookMs, outcome)}\n${lines}`;
  },
};

export async function chunk(texts: readonly string[], options: ChunkOptions, settings: Settings): Promise<number> {
  if (options.wait !== undefined) return await waitForRuns(command, options.wait, options, settings);
  const { chunkDuration, overlapDuration } = options;
  const tasks = planFolderTasks(texts, options, settings, {
    target: chunkDuration === undefined ? 'chunks' : `chunks of ${chunkDuration} s`,
    folderSuffix: '-chunks',
    input: { chunkDuration, overlapDuration },
  });
  return await runCommand(command, tasks, options, settings);
}

/** Plans a run for each source, for commands whose runs name the files of an output folder themselves. */
export function planFolderTasks(
  texts: readonly string[],
  options: RunOptions,
  { userFolder }: Settings,
  { target, folderSuffix, input }: { target: string; folderSuffix: string; input: object },
): (RunTask | SkippedTask)[] {
  const listed = listSources(texts, { userFolder, isRecursive: options.recursive });
  const destinationOf = ({ source, subfolder }: ListedSource): Destination => {
    const ownName = `${source.name}${folderSuffix}`;
    // A single source writes straight to --out; several sources get a subfolder each.
    return options.out === undefined || listed.length > 1
      ? destinationBelow(parseDestination(options.out, userFolder), join(subfolder, ownName))
      : parseDestination(options.out, userFolder);
  };
  const tasks = listed.map((one): RunTask | SkippedTask => {
    const { source } = one;
    const destination = destinationOf(one);
    if (options.skipExisting && holdsFiles(destination)) {
      return { source, target, skipped: `${folderSuffix.slice(1)} already exist.` };
    }
    if (!options.overwrite) assertNewFolder(destination);
    if (destination.kind === 'folder') assertWritable(destination.path);
    return {
      source,
      target,
      delivery: { destination, names: [], overwrite: options.overwrite },
      buildInput: (sourceUrl, staging) => ({
        sourceUrl,
        ...input,
        uploadUrlPrefix: uploadUrlPrefix(destination, staging),
      }),
    };
  });
  assertNoSharedPlaces(
    tasks
      .filter((task) => 'delivery' in task)
      .map(({ source, delivery: { destination } }) => ({
        source,
        places: destination.kind === 'folder' ? [destination.path] : [destination.prefix],
      })),
  );
  return tasks;
}
