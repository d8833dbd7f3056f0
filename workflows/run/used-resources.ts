import type { Submission } from '../../contract/activity.ts';
import { isUnchanged } from '../../contract/earlier-chunks.ts';
import type { JobResult } from '../../contract/http/job.ts';
import { roundToMilliseconds } from '../../contract/milliseconds.ts';
import type { ProviderPolicy, ProviderPrice } from '../../contract/provider.ts';
import type { JobUsage, ProviderUsage, RunUsage } from '../../contract/usage.ts';
import type { Outcome } from './outcome.ts';

/** Sums what the jobs and calls of a run have used. */
export class UsedResources {
  #total: RunUsage | undefined;

  /** `earlier`: sum of the runs that continued as this one. */
  constructor(earlier: RunUsage | undefined) {
    this.#total = earlier;
  }

  /** Undefined if nothing was reported, as by containers of older versions. */
  get total(): RunUsage | undefined {
    return this.#total;
  }

  /** Adds the job whose end the outcome reports; returns the outcome. */
  addEnd<Reported extends Outcome<JobResult | Submission>>(outcome: Reported): Reported {
    const used = outcome.kind === 'succeeded' ? usageIn(outcome.result) : outcome.failed.usage;
    if (used !== undefined) this.#total = withJob(this.#total ?? nothing, used);
    return outcome;
  }

  /**
   * Returns the cost of the call, 0 without a price. `answeredSeconds`: length of the audio; undefined if the provider did
   * not answer with a transcript.
   */
  addCall({ key, price }: Pick<ProviderPolicy, 'key' | 'price'>, answeredSeconds: number | undefined): number {
    const total = this.#total ?? nothing;
    const { providers = {} } = total;
    const cost = price === undefined || answeredSeconds === undefined ? undefined : priceOf(answeredSeconds, price);
    const calls = withCall(providers[key] ?? noCalls, answeredSeconds, cost);
    this.#total = { ...total, providers: { ...providers, [key]: calls } };
    return cost ?? 0;
  }
}

const nothing: RunUsage = { jobs: 0, seconds: 0, bytesIn: 0, bytesOut: 0 };
const noCalls: ProviderUsage = { calls: 0, answered: 0, audioSeconds: 0 };

function usageIn(answer: JobResult | Submission): JobUsage | undefined {
  if ('kind' in answer)
    return answer.kind === 'finished' && !isUnchanged(answer.result) ? usageIn(answer.result) : undefined;
  return 'outputs' in answer || 'totalChunks' in answer ? answer.usage : undefined;
}

function withJob({ cpuSeconds, ...total }: RunUsage, job: JobUsage): RunUsage {
  return {
    ...total,
    jobs: total.jobs + 1,
    seconds: roundToMilliseconds(total.seconds + job.seconds),
    ...((cpuSeconds !== undefined || job.cpuSeconds !== undefined) && {
      cpuSeconds: roundToMilliseconds((cpuSeconds ?? 0) + (job.cpuSeconds ?? 0)),
    }),
    bytesIn: total.bytesIn + job.bytesIn,
    bytesOut: total.bytesOut + job.bytesOut,
  };
}

function withCall(
  { cost, ...sum }: ProviderUsage,
  answeredSeconds: number | undefined,
  added: number | undefined,
): ProviderUsage {
  const calls = sum.calls + 1;
  if (answeredSeconds === undefined) return { ...sum, calls, ...(cost !== undefined && { cost }) };
  return {
    calls,
    answered: sum.answered + 1,
    audioSeconds: roundToMilliseconds(sum.audioSeconds + answeredSeconds),
    ...((cost ?? added) !== undefined && { cost: (cost ?? 0) + (added ?? 0) }),
  };
}

function priceOf(seconds: number, { perCall = 0, perMinute = 0 }: ProviderPrice): number {
  return perCall + (perMinute * seconds) / 60;
}
