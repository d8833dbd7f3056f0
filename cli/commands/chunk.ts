import { readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { CliError } from '../cli-error.ts';
import { namesOfChunks, namesOfProcessing } from '../../contract/written-names.ts';
import { formatCount } from '../../client/text/format-count.ts';
import { deliverList, readChunks } from '../media/delivered-chunks.ts';
import { assertWritable } from '../media/delivery.ts';
import {
  assertFindsExisting,
  assertNewFolder,
  destinationBelow,
  holdsFiles,
  parseDestination,
  uploadUrlPrefix,
  type Destination,
} from '../media/destination.ts';
import type { NamedSource } from '../media/named-source.ts';
import { assertNoSharedPlaces } from '../media/output-names.ts';
import { localInputs } from '../media/run-delivery.ts';
import { isSameFile, realFolder } from '../media/same-file.ts';
import { listSources, type ListedSource } from '../media/source-list.ts';
import { formatChunks, formatHeadline } from '../run/format-outcome.ts';
import { runCommand } from '../run/run-command.ts';
import { waitForRuns } from '../run/wait-for-runs.ts';
import type { RunOptions, RunTask, SkippedTask, WorkflowCommand } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';

/** Files of earlier runs, which may have had another --format. */
const namesOfAnyRun = namesOfProcessing('[a-z0-9]+');

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
    names: namesOfChunks,
    input: { chunkDuration, overlapDuration },
  });
  return await runCommand(command, tasks, options, settings);
}

/** Plans a run for each source, for commands whose runs name the files of an output folder themselves. */
export function planFolderTasks(
  texts: readonly string[],
  options: RunOptions,
  { userFolder }: Settings,
  { target, folderSuffix, input, names }: { target: string; folderSuffix: string; input: object; names: RegExp },
): (RunTask | SkippedTask)[] {
  const listed = listSources(texts, { userFolder, isRecursive: options.recursive });
  const destinationOf = ({ source, subfolder, isFound }: ListedSource): Destination => {
    const destination = parseDestination(options.out, userFolder);
    // How many files a folder holds changes no destination, so that --skip-existing finds earlier results.
    const isDirect = options.out !== undefined && texts.length === 1 && isFound === undefined;
    return isDirect ? destination : destinationBelow(destination, join(subfolder, `${source.name}${folderSuffix}`));
  };
  const planned = listed.map((one) => ({ source: one.source, destination: destinationOf(one) }));
  const owners = new Map(
    planned.flatMap(({ source, destination }) =>
      destination.kind === 'folder' ? [[realFolder(destination.path), source]] : [],
    ),
  );
  const isOutputOfAnother = (source: NamedSource): boolean => {
    if (source.kind === 'url' || !namesOfAnyRun.test(basename(source.path))) return false;
    const owner = owners.get(realFolder(dirname(source.path)));
    return owner !== undefined && owner !== source;
  };
  const tasks = planned.map(({ source, destination }): RunTask | SkippedTask => {
    if (options.skipExisting) assertFindsExisting(destination);
    if (options.skipExisting && isOutputOfAnother(source)) {
      return { source, target, skipped: 'It is the output of another source.' };
    }
    if (options.skipExisting && holdsFiles(destination)) {
      return { source, target, skipped: `${folderSuffix.slice(1)} already exist.` };
    }
    if (options.overwrite) assertHoldsNoSource(destination, names, listed);
    else assertNewFolder(destination);
    if (destination.kind === 'folder') assertWritable(destination.path);
    return {
      source,
      target,
      delivery: { destination, names: [], overwrite: options.overwrite, inputs: localInputs(source) },
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

/** Throws if a file that the run writes by one of these names would replace a source. */
function assertHoldsNoSource(destination: Destination, names: RegExp, listed: readonly ListedSource[]): void {
  if (!holdsFiles(destination) || destination.kind === 'store') return;
  const paths = listed.flatMap(({ source }) => (source.kind === 'file' ? [source.path] : []));
  for (const name of readdirSync(destination.path).filter((found) => names.test(found))) {
    const replaced = paths.find((path) => isSameFile(join(destination.path, name), path));
    if (replaced === undefined) continue;
    throw new CliError(
      `${replaced} is a source and would be replaced by ${name}. Use --out FOLDER to write elsewhere.`,
    );
  }
}
