import { CancellationScope, patched } from '@temporalio/workflow';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import { registeredSearchAttributes } from '../proxies.ts';

/**
 * What the worker knew when the run began: an attribute that the server does not have would hold the run up until somebody registers
 * it. Asked in a run that is cancelled already too, for its state at the end.
 */
export async function usableSearchAttributes(): Promise<SearchAttributeName[]> {
  // Runs of former versions have none in their histories.
  if (!patched('search-attributes')) return [];
  try {
    return await CancellationScope.nonCancellable(registeredSearchAttributes);
  } catch {
    return [];
  }
}
