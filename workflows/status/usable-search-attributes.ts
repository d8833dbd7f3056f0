import { CancellationScope, patched } from '@temporalio/workflow';
import type { SearchAttributeName } from '../../contract/search-attributes.ts';
import { registeredSearchAttributes } from '../proxies.ts';

/**
 * Search attributes that the server had when the run began: setting an unregistered attribute would block the run until
 * someone registers it. A cancelled run asks too, because it still sets its final state.
 */
export async function usableSearchAttributes(): Promise<SearchAttributeName[]> {
  // Histories of older versions contain no search attributes.
  if (!patched('search-attributes')) return [];
  try {
    return await CancellationScope.nonCancellable(registeredSearchAttributes);
  } catch {
    return [];
  }
}
