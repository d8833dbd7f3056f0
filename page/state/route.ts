import { computed, signal } from '@preact/signals';

const path = signal(location.pathname);
/** Query of the list's URL. It stays while another view is open, so that the way back leads to the same list. */
export const listQuery = signal('');

function readLocation(): void {
  path.value = location.pathname;
  if (location.pathname === '/') listQuery.value = location.search;
}

readLocation();
addEventListener('popstate', readLocation);

export type Route = { view: 'runs' } | { view: 'run'; id: string } | { view: 'operators' };

export const route = computed<Route>(() => {
  const id = /^\/runs\/(.+)$/.exec(path.value)?.[1];
  if (id !== undefined) return { view: 'run', id: decodeURIComponent(id) };
  return path.value === '/operators' ? { view: 'operators' } : { view: 'runs' };
});

export function runPath(id: string): string {
  return `/runs/${encodeURIComponent(id)}`;
}

export function go(to: string): void {
  history.pushState(null, '', to);
  readLocation();
  scrollTo(0, 0);
}

/** Changes the URL without a new entry in the browser's history. */
export function replaceQuery(query: string): void {
  history.replaceState(null, '', query || '/');
  readLocation();
}

/** Handles the click on a link; clicks with a modifier key open a new tab as usual. */
export function follow(event: MouseEvent): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  go((event.currentTarget as HTMLAnchorElement).href);
}
