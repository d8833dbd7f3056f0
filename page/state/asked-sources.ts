import { computed, signal } from '@preact/signals';
import type { RunDetails } from '../../contract/server/run.ts';
import { nameOfSource } from '../words/format.ts';
import { kindOfName } from '../words/source-kind.ts';
import { isChoosing, typedUrls } from './chooser-state.ts';
import { lookAtFile, type SeenFile } from './look-at-file.ts';
import type { Choice } from './new-outputs.ts';
import { startUrls } from './start-runs.ts';
import { addFiles, chooseResults, unchosenFiles, uploads } from './uploads.ts';

/** A source for which a person is asked to choose results. */
export interface AskedSource extends SeenFile {
  name: string;
  bytes?: number;
  /** Id of its upload. */
  upload?: number;
  url?: string;
  /** The run that is repeated with another choice. */
  earlier?: RunDetails | undefined;
  /** True if the name says that it is a film, and it has no pictures. */
  hasOnlySound?: boolean;
}

/** More players at once would slow the browser down; then the names decide. */
const mostLookedAt = 8;

const asked = signal<readonly AskedSource[]>([]);

/** The sources of one kind, for which one choice is made. */
export const askedNow = computed(() => asked.value.filter(({ kind }) => kind === asked.value[0]?.kind));

/** The sources for which a choice is made afterwards. */
export const askedLater = computed(() => asked.value.filter((source) => !askedNow.value.includes(source)));

export async function askForFiles(files: readonly File[]): Promise<void> {
  const before = new Set(unchosenFiles().map(({ id }) => id));
  addFiles(files);
  await askAbout(unchosenFiles().filter(({ id }) => !before.has(id)));
}

/** Asks for all uploads without a choice, first for this one. */
export async function askForUploads(first: number): Promise<void> {
  const isFirst = ({ id }: { id: number }): number => Number(id === first);
  await askAbout(unchosenFiles().toSorted((one, other) => isFirst(other) - isFirst(one)));
}

async function askAbout(files: ReturnType<typeof unchosenFiles>): Promise<void> {
  const looksAt = files.length <= mostLookedAt;
  ask(
    await Promise.all(
      files.map(async ({ id, named: { name, type, size }, file }): Promise<AskedSource> => {
        const seen = looksAt && file !== undefined ? await lookAtFile(file) : { kind: kindOfName(name, type) };
        return { ...seen, name, bytes: size, upload: id };
      }),
    ),
  );
}

export function askForUrls(urls: readonly string[], earlier?: RunDetails): void {
  ask(
    urls.map((url) => {
      const name = nameOfSource(earlier?.source ?? url);
      // The name of a repeated run may have no ending.
      const isFilm = [name, nameOfSource(url)].some((one) => kindOfName(one) === 'film');
      return { url, name, kind: isFilm ? 'film' : 'sound', earlier };
    }),
  );
}

function ask(sources: readonly AskedSource[]): void {
  asked.value = [...asked.value, ...sources];
  if (sources.length > 0) isChoosing.value = true;
}

/** The URL by which a run reads the source; undefined before it is uploaded. */
export function sourceUrlOf({ url, upload }: AskedSource): string | undefined {
  return url ?? uploads.value.find(({ id }) => id === upload)?.source;
}

/** A container found no pictures in the source. */
export function hasOnlySound(source: AskedSource): void {
  asked.value = asked.value.map((one) => (one === source ? { ...one, kind: 'sound', hasOnlySound: true } : one));
}

/**
 * Starts runs of the sources that the choice was made for, as soon as they are uploaded. Meanwhile, other sources may have
 * been added, and a person may have closed the dialog. True if no other source is left.
 */
export function startAsked(choice: Choice, chosen: readonly AskedSource[]): boolean {
  // A source is another object once a container has found no pictures in it.
  const isChosen = (one: AskedSource): boolean =>
    chosen.some(({ upload, url }) => one.upload === upload && one.url === url);
  const now = asked.value.filter(isChosen);
  chooseResults(
    now.flatMap(({ upload }) => upload ?? []),
    choice,
  );
  const sources = now.flatMap(({ url, name, earlier }) => (url === undefined ? [] : [{ url, name, earlier }]));
  if (sources.length > 0) typedUrls.value = '';
  void startUrls(sources, choice);
  asked.value = asked.value.filter((source) => !now.includes(source));
  return asked.value.length === 0;
}

/** Uploads continue, and wait for a choice. */
export function stopAsking(): void {
  asked.value = [];
  isChoosing.value = false;
}
