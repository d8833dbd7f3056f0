import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A word that Holdfast does not contain, in every form in which it could leak. */
export class Marker {
  readonly word: string;
  readonly #forms: RegExp;

  constructor(word: string) {
    this.word = word;
    const hex = Buffer.from(word).toString('hex');
    this.#forms = new RegExp([word, `(?i:${hex})`, ...base64Of(word)].join('|'), 'g');
  }

  /** Places of the word with some text around each. */
  findIn(text: string): string[] {
    return [...text.matchAll(this.#forms)].map(({ index }) => text.slice(Math.max(0, index - 80), index + 60));
  }
}

/** Base64 forms of the word for each of the three alignments. */
function base64Of(word: string): string[] {
  return [0, 1, 2].map((offset) => {
    const bytes = offset + word.length;
    const text = Buffer.from('x'.repeat(offset) + word).toString('base64');
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor((bytes * 8) / 6));
  });
}

/** Secrets of the processes, origins and stores; they may appear nowhere. */
export const ours = new Marker('s3cr3t');
/** Secrets in a run's input, which Temporal keeps; they may appear only there. */
export const callers = new Marker('h1dd3n');

export const secret = (name: string): string => `${ours.word}-${name}-0123456789abcdef0123456789abcdef`;
export const hidden = (name: string): string => `signature=${callers.word}-${name}`;

/** A key of this many bytes, all of them text. */
export function keyBytes(name: string, length: number): Buffer {
  return Buffer.from(`${ours.word}-${name}`.padEnd(length, '-').slice(0, length));
}

/** Findings by place. */
export class Findings {
  readonly #found = new Set<string>();
  readonly #charactersOf = new Map<string, number>();
  readonly #markers: readonly Marker[];

  constructor(markers: readonly Marker[]) {
    this.#markers = markers;
  }

  search(place: string, text: string, markers = this.#markers): void {
    this.#charactersOf.set(place, (this.#charactersOf.get(place) ?? 0) + text.length);
    for (const marker of markers) for (const around of marker.findIn(text)) this.#found.add(`${place}: ${around}`);
  }

  /** Searches the bytes of all files. */
  async searchFolder(place: string, folder: string): Promise<void> {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      this.search(place, entry.name);
      if (entry.isFile()) this.search(place, await readFile(join(entry.parentPath, entry.name), 'latin1'));
    }
  }

  get found(): string[] {
    return [...this.#found];
  }

  /** Places that had something to search. */
  get places(): string[] {
    return [...this.#charactersOf].filter(([, characters]) => characters > 0).map(([place]) => place);
  }
}

interface Event {
  eventId: string;
  activityTaskScheduledEventAttributes?: { activityType: { name: string } };
  activityTaskCompletedEventAttributes?: { scheduledEventId: string; result: unknown };
}

/** Reads the CLI's output with decoded payloads: the whole history, and the history without inputs. */
export function readHistory(json: string): { whole: string; withoutInputs: string } {
  const decode = (name: string, value: unknown): unknown =>
    name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('latin1') : value;
  const { events } = JSON.parse(json, decode) as { events: Event[] };
  const whole = JSON.stringify(events);
  const preparing = events.filter(
    (event) => event.activityTaskScheduledEventAttributes?.activityType.name === 'prepare',
  );
  const prepared = new Set(preparing.map(({ eventId }) => eventId));
  for (const { activityTaskCompletedEventAttributes: completed } of events) {
    // The result repeats the input, as its schema parsed it.
    if (completed !== undefined && prepared.has(completed.scheduledEventId)) completed.result = undefined;
  }
  const withoutInputs = JSON.stringify(events, (name, value: unknown) => (name === 'input' ? undefined : value));
  return { whole, withoutInputs };
}
