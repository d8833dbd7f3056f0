import { isAbsolute, resolve } from 'node:path';
import { Staging, sweepStaging } from '../../client/staging.ts';
import { CliError } from '../cli-error.ts';
import { assertWritable } from '../media/delivery.ts';
import type { OutputArguments } from '../media/describe-outputs.ts';
import { type Destination, parseDestination } from '../media/destination.ts';
import { needsTranscriber } from '../media/film-captions.ts';
import { findPath } from '../media/named-source.ts';
import { realFolder } from '../media/same-file.ts';
import { inputOf } from '../run/command-run.ts';
import { describeEncode, encodeInput, type EncodeWishes, planOutputs } from '../run/encode-tasks.ts';
import { encodeCommand } from '../run/encode-workflow.ts';
import { untilAborted } from '../run/interrupts.ts';
import { assertReadsFiles } from '../run/media-check.ts';
import { type StackWork, withStack } from '../run/with-stack.ts';
import { commonInputOf, type FileOptions, type PolicyOptions } from '../run/workflow-command.ts';
import type { Settings } from '../settings.ts';
import { goesOnAlone } from '../stack/stack.ts';
import { prepareTranscriber } from '../stack/transcriber-setup.ts';
import { Interruption } from '../watch/file-run.ts';
import { FolderWatch } from '../watch/folder-watch.ts';
import { assertNotWatched, type WatchedFolder } from '../watch/watched-folder.ts';

export interface WatchOptions extends Omit<FileOptions, 'skipExisting'>, PolicyOptions, OutputArguments {
  /** Seconds without a change after which a file is complete. */
  settle: number;
  /** Encode the files that exist, then exit. */
  once: boolean;
}

export async function watch(folder: string, options: WatchOptions, settings: Settings): Promise<number> {
  const { userFolder } = settings;
  const watched = { path: findFolder(folder, userFolder), isRecursive: options.recursive };
  const destination = parseDestination(options.out, userFolder);
  // Objects of a store are replaced, as `encode` does.
  const skipExisting = !options.overwrite && destination.kind === 'folder';
  const encode = describeEncode({ ...options, skipExisting }, settings);
  if (destination.kind === 'folder') {
    assertNotWatched(watched, destination.path, 'The output folder');
    assertWritable(destination.path);
  }
  assertValid(encode, options, destination, settings);
  return await withStack('watch', settings, (work) => watchWith(work, watched, encode, options, settings));
}

async function watchWith(
  { stack, progress: notes, interrupts, onAbandon }: StackWork,
  watched: WatchedFolder,
  encode: EncodeWishes,
  { json, once, settle, ...policy }: WatchOptions,
  settings: Settings,
): Promise<number> {
  assertNotWatched(watched, stack.facts.mediaRoot, 'The folder of staged files');
  await assertReadsFiles(stack, settings);
  if (encode.captions !== undefined && needsTranscriber(encode.captions)) {
    await prepareTranscriber(stack, settings, (sentence) => notes.note(sentence));
  }
  void sweepStaging(stack.facts.mediaRoot, (sentence) => notes.note(sentence));
  const { createClient } = await import('../../client/connection.ts');
  const stop = new AbortController();
  const watch = new FolderWatch({
    watched,
    encode,
    policy,
    settings,
    client: createClient(stack.connection, stack.facts.namespace, settings.dataConverter),
    stack,
    stop: stop.signal,
    settleMs: settle * 1000,
    once,
    json,
  });
  onAbandon(() => watch.abandon());
  const stopWhenInterrupted = async () => {
    await untilAborted(interrupts.first);
    if (watch.isBusy && !goesOnAlone(stack)) {
      notes.note('Cancelling the runs, because their worker stops with this command (Ctrl-C again stops at once) …');
    }
    stop.abort(new Interruption());
  };
  void stopWhenInterrupted();
  stack.broken.catch((error: unknown) => stop.abort(error));
  notes.note(`Watching ${watched.path}. A file is encoded when it has not changed for ${settle} s.`);
  await watch.run();
  if (interrupts.first.aborted) return once ? interrupts.exitCode : 0;
  stop.signal.throwIfAborted();
  return watch.hasFailed ? 1 : 0;
}

function findFolder(typed: string, userFolder: string): string {
  if (typed.trim() === '') throw new CliError('The name of the folder is empty.');
  const path = isAbsolute(typed) ? typed : resolve(userFolder, typed);
  const stats = findPath(path, typed);
  if (stats === undefined) throw new CliError(`There is no folder "${typed}"${typed === path ? '' : ` (${path})`}.`);
  if (!stats.isDirectory()) throw new CliError(`"${typed}" is not a folder. \`npx holdfast encode\` encodes a file.`);
  return realFolder(path);
}

/** Refuses invalid options before anything starts, instead of for each file. */
function assertValid(encode: EncodeWishes, policy: PolicyOptions, destination: Destination, settings: Settings): void {
  const path = resolve(settings.userFolder, 'source');
  const plan = planOutputs({ source: { kind: 'file', path, name: 'source' }, subfolder: '' }, encode);
  const task = {
    ...plan,
    target: '',
    buildInput: (sourceUrl: string, staging: Staging) =>
      encodeInput(sourceUrl, staging, plan.outputs, encode, destination),
  };
  inputOf(encodeCommand, task, commonInputOf(policy), 'file:///source', new Staging(settings.mediaRoot, 'run'));
}
