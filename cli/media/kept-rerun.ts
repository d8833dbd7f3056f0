import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { Staging } from '../../client/staging.ts';
import { decodedPart } from '../../contract/url-part.ts';
import type { DeliveryPlan } from './run-delivery.ts';

const Prefix = z.object({ uploadUrlPrefix: z.string() });

/** Targets of an `encode`; those of a `chunk` or `process` are a prefix, and the run names its files. */
const Targets = z.object({ outputs: z.array(z.object({ uploadUrl: z.string() }).or(Prefix)).min(1) }).or(Prefix);

interface Places {
  mediaRoot: string;
  /** Folder that receives the files. */
  folder: string;
}

/**
 * Prepares `--wait` for a new run of an old command, whose outputs go to the staging folder of that command. False if
 * they go elsewhere, such as to a folder of another program, or if a living command uses the folder.
 */
export async function keepRerun(input: unknown, runId: string, { mediaRoot, folder }: Places): Promise<boolean> {
  const staged = findStaged(input, mediaRoot);
  if (staged === undefined) return false;
  const { staging, names } = staged;
  // Staging folders are removed with everything in them.
  if (!(await staging.isOurs())) return false;
  await mkdir(staging.outputFolder, { recursive: true });
  if (!(await staging.takeOver())) return false;
  const plan: DeliveryPlan = {
    // Files that the run names get a folder of their own.
    destination: { kind: 'folder', path: names.length > 0 ? folder : join(folder, basename(staging.folder)) },
    names,
    overwrite: false,
    inputs: [],
  };
  await staging.keep(runId, plan);
  return true;
}

/**
 * Takes over the folder of a run whose command ended before it recorded the run's id there, and records the id.
 * Undefined if the command still lives.
 */
export async function adoptStaging(
  input: unknown,
  runId: string,
  mediaRoot: string,
): Promise<{ staging: Staging; delivery: unknown } | undefined> {
  const { staging } = findStaged(input, mediaRoot) ?? {};
  const kept = await staging?.kept();
  if (staging === undefined || kept === undefined || kept.runId !== undefined) return undefined;
  if (!(await staging.takeOver())) return undefined;
  const { delivery } = kept;
  // The record only helps a later delivery. A full disk must not stop this one.
  await staging.keep(runId, delivery).catch(() => undefined);
  return { staging, delivery };
}

/** Finds the staging folder that receives all outputs of a run, and their names in it; no names if the run names them. */
function findStaged(input: unknown, mediaRoot: string): { staging: Staging; names: string[] } | undefined {
  const { data } = Targets.safeParse(input);
  if (data === undefined) return undefined;
  const outputs = 'outputs' in data ? data.outputs : [data];
  const urls = outputs.map((output) => ('uploadUrl' in output ? output.uploadUrl : output.uploadUrlPrefix));
  const root = `${pathToFileURL(mediaRoot).href}/`;
  const [first = ''] = urls[0]?.startsWith(root) === true ? urls[0].slice(root.length).split('/') : [];
  const staging = new Staging(mediaRoot, decodedPart(first));
  if (first === '' || !urls.every((url) => url.startsWith(staging.outputPrefix))) return undefined;
  if (!('outputs' in data)) return data.uploadUrlPrefix === staging.outputPrefix ? { staging, names: [] } : undefined;
  return { staging, names: urls.map((url) => decodedPart(url.slice(staging.outputPrefix.length))) };
}
