import { useEffect } from 'preact/hooks';
import { laterTexts } from '../later-texts.ts';
import { runs, toggleSelected } from '../state/runs.ts';

/** Keys of the list: / for the search, arrows to move through the rows, x to select. */
export function ListKeys() {
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return runs.value.length > 1 ? <p class="quiet small keys">{laterTexts.listKeys}</p> : null;
}

function onKey(event: KeyboardEvent): void {
  const { key, target } = event;
  if (!(target instanceof HTMLElement)) return;
  if (key === '/' && !target.matches('input, textarea, select')) {
    event.preventDefault();
    document.querySelector<HTMLInputElement>('.search input')?.focus();
  }
  const list = target.closest('.list');
  if (list === null) return;
  const links = Array.from(list.querySelectorAll<HTMLAnchorElement>('a.to-run'));
  const at = links.findIndex((link) => link.closest('li')?.contains(target) === true);
  if (key === 'x') {
    const id = links[at]?.dataset['id'];
    if (id !== undefined) toggleSelected(id);
    return;
  }
  const next = key === 'ArrowDown' ? links[at + 1] : key === 'ArrowUp' ? links[at - 1] : undefined;
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}
