import type { Client } from '@temporalio/client';
import pMap from 'p-map';
import { z } from 'zod';
import { outputLabel } from '../../contract/output-label.ts';
import { secondsAfter } from '../../contract/preview.ts';
import { EstimatedOutput, type EstimateRequest, type EstimateView } from '../../contract/server/estimate.ts';
import type { Prices } from '../../contract/prices.ts';
import { EncodeOutcome } from '../../contract/workflow/encode.ts';
import { readInput } from '../rerun.ts';
import { RunCache } from '../run-cache.ts';
import type { RunRecord } from '../run-record.ts';
import { readUsage } from '../run-usage.ts';
import { listRunsPage } from '../runs-page.ts';
import { isUnreadable } from '../unreadable.ts';
import { type ComparedRun, isLike, kindOf } from './compare-runs.ts';
import { estimateRun, type PastUse } from './estimate-run.ts';

/** Number of the latest runs with the first output in which runs of the same kind are searched. */
const mostSearched = 60;
/** Limit of cached runs. */
const mostKept = 2_000;
const readsAtOnce = 8;

interface PastRun extends PastUse, ComparedRun {}

/** Estimates new encodes from past ones. */
export class PastRuns {
  readonly #client: Client;
  readonly #taskQueue: string;
  readonly #known = new RunCache<PastRun | undefined>(mostKept);

  constructor(client: Client, taskQueue: string) {
    this.#client = client;
    this.#taskQueue = taskQueue;
  }

  /** Estimates a run from the owner's past runs; without an owner, from those of everybody. */
  async estimate(request: EstimateRequest, owner: string | undefined, prices: Prices): Promise<EstimateView> {
    const { source, outputs } = request;
    const [first] = outputs;
    if (first === undefined) return { runs: 0 };
    const { runs } = await listRunsPage(this.#client, {
      taskQueue: this.#taskQueue,
      state: 'succeeded',
      format: outputLabel(first),
      owner,
      limit: mostSearched,
    });
    const read = await pMap(
      runs.filter(({ workflowType, usage }) => workflowType === 'encode' && usage !== undefined),
      async (record) => await this.#known.get(record.runId, async () => await readPastRun(this.#client, record)),
      { concurrency: readsAtOnce },
    );
    const kinds = outputs.map(kindOf);
    const like = read.flatMap((run) => (run !== undefined && isLike(run, kinds, source) ? inOrderOf(kinds, run) : []));
    const wanted = {
      sourceSeconds: source.duration,
      mediaSeconds: mediaSecondsOf(outputs, source.duration),
      bytes: source.bytes,
    };
    return estimateRun(wanted, like, prices);
  }
}

/** Fields of an input that determine how a run encodes. */
const PastInput = z.object({
  outputs: z.array(EstimatedOutput).min(1),
  parallel: z.literal(true).optional(),
  spread: z.undefined().optional(),
  preview: z.undefined().optional(),
  // The time of such a run includes its transcript.
  transcript: z.undefined().optional(),
});

/**
 * Undefined if the run is no basis for others: it was spread or repeated, was a preview, or made a transcript. Also
 * undefined if its payloads cannot be read.
 */
async function readPastRun(client: Client, record: RunRecord): Promise<PastRun | undefined> {
  const { workflowId, runId } = record;
  try {
    const [given, result, usage] = await Promise.all([
      readInput(client, workflowId, runId),
      client.workflow.getHandle(workflowId, runId).result() as Promise<unknown>,
      readUsage(client, record),
    ]);
    const { data: input } = PastInput.safeParse(given);
    const { data: outcome } = EncodeOutcome.safeParse(result);
    if (input === undefined || outcome === undefined || usage?.jobs !== 1) return undefined;
    const { source, outputs } = outcome;
    const mediaSeconds = mediaSecondsOf(input.outputs, source.duration);
    if (mediaSeconds === 0) return undefined;
    const hasPictures = outputs.some(({ image, streams = [] }) =>
      image === undefined ? streams.some(({ kind }) => kind === 'video') : source.pictures !== undefined,
    );
    return {
      kinds: input.outputs.map(kindOf),
      source,
      hasPictures,
      sourceSeconds: source.duration,
      mediaSeconds,
      bytesIn: usage.bytesIn,
      seconds: usage.seconds,
      cpuSeconds: usage.cpuSeconds,
      sizes: outputs.map(({ size }) => size),
    };
  } catch (error) {
    if (isUnreadable(error)) return undefined;
    throw error;
  }
}

function mediaSecondsOf(outputs: readonly EstimatedOutput[], sourceSeconds: number): number {
  return Math.max(...outputs.map(({ trim = {} }) => secondsAfter(trim, sourceSeconds)));
}

/** The run with its sizes in the order of the wanted outputs. */
function inOrderOf(kinds: readonly string[], run: PastRun): PastRun {
  return { ...run, sizes: kinds.map((kind) => run.sizes[run.kinds.indexOf(kind)] ?? 0) };
}
