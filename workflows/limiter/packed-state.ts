import type { Holder } from '../../contract/limiter.ts';
import type { LimiterState } from './limiter-state.ts';
import { type PackedRequests, packRequests, unpackRequests } from './packed-requests.ts';

/** State passed to the next run: each holder is stored once and referenced by number. */
export interface PackedState extends Omit<LimiterState, 'waiting' | 'throttleTold' | 'pendingUpdates' | 'refused'> {
  holders: [workflowId: string, firstRunId: string, runId?: string][];
  waiting: [holder: number, requests: PackedRequests][];
  throttleTold: number[];
  pendingUpdates: number[];
  refused: number[];
}

export function packState(state: LimiterState): PackedState {
  const { waiting, throttleTold, pendingUpdates, refused = [], ...rest } = state;
  const numbers = new Map<string, number>();
  const holders: PackedState['holders'] = [];
  const numberOf = ({ workflowId, firstRunId, runId }: Holder): number => {
    const known = numbers.get(firstRunId);
    if (known !== undefined) return known;
    numbers.set(firstRunId, holders.length);
    return holders.push(runId === undefined ? [workflowId, firstRunId] : [workflowId, firstRunId, runId]) - 1;
  };
  return {
    ...rest,
    waiting: waiting.map(({ holder, requestIds }) => [numberOf(holder), packRequests(requestIds)]),
    throttleTold: throttleTold.map(numberOf),
    pendingUpdates: pendingUpdates.map(numberOf),
    refused: refused.map(numberOf),
    holders,
  };
}

/** Also accepts the state of older versions, which repeated each holder. */
export function unpackState(state: LimiterState | PackedState): LimiterState {
  if (!('holders' in state)) return state;
  const { holders, waiting, throttleTold, pendingUpdates, refused, ...rest } = state;
  const unpacked = holders.map(([workflowId, firstRunId, runId]) => ({
    ...{ workflowId, firstRunId },
    ...(runId !== undefined && { runId }),
  }));
  const holderOf = (number: number): Holder => unpacked[number] ?? { workflowId: '', firstRunId: '' };
  return {
    ...rest,
    waiting: waiting.map(([holder, requests]) => ({ holder: holderOf(holder), requestIds: unpackRequests(requests) })),
    throttleTold: throttleTold.map(holderOf),
    pendingUpdates: pendingUpdates.map(holderOf),
    refused: refused.map(holderOf),
  };
}
