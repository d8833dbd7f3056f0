import { effect, signal } from '@preact/signals';
import type { RunView } from '../../contract/server/run.ts';
import { laterTexts } from '../later-texts.ts';
import { endedWords } from '../words/ended-words.ts';
import { isActive } from '../words/run-words.ts';
import { tell } from './notices.ts';
import { go, runPath } from './route.ts';
import { changedRun, runs } from './runs.ts';

/** Browsers offer notifications only over https and on localhost. */
export const canNotify = isSecureContext && 'Notification' in globalThis;

/** Key in the browser's storage. */
const kept = 'holdfast-notify';

export const isNotifying = signal(kept in localStorage && canNotify && Notification.permission === 'granted');

/** Active runs that the page has seen, by `runId`. */
const active = new Set<string>();
/** Runs that ended since the page last had the focus. */
let ended: RunView[] = [];
addEventListener('focus', () => (ended = []));

effect(() => {
  for (const run of [...runs.value, ...(changedRun.value === undefined ? [] : [changedRun.value])]) {
    if (isActive(run)) active.add(run.runId);
    // A person who looks at the page sees the change.
    else if (active.delete(run.runId) && isNotifying.peek() && !document.hasFocus()) report(run);
  }
});

function report(run: RunView): void {
  ended.push(run);
  const { title, body } = endedWords(ended);
  show(title, body, ended.length === 1 ? runPath(run.id) : '/');
}

/** The tag makes a notification replace the one before. */
function show(title: string, body: string, path: string): void {
  const notification = new Notification(title, { body, tag: 'holdfast' });
  notification.addEventListener('click', () => {
    focus();
    go(path);
    notification.close();
  });
}

/** Browsers ask for permission only after a click. */
export async function toggleNotifying(): Promise<void> {
  const isOn = !isNotifying.value;
  if (isOn && !(await isAllowed())) return;
  isNotifying.value = isOn;
  if (isOn) localStorage.setItem(kept, 'yes');
  else localStorage.removeItem(kept);
}

async function isAllowed(): Promise<boolean> {
  if ((await Notification.requestPermission()) !== 'granted') {
    tell('problem', laterTexts.notify.denied);
    return false;
  }
  try {
    show(laterTexts.notify.on, laterTexts.notify.example, location.pathname);
    return true;
  } catch {
    // Chrome on Android offers notifications only to service workers.
    tell('problem', laterTexts.notify.unsupported);
    return false;
  }
}
