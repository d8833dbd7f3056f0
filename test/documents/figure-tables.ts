import { type Figures, figuresFile, type Row, textOf as figureText, withUnit } from '../../bench/figures.ts';
import { isAbout, type Target, targets } from '../../bench/targets.ts';
import { textOf } from '../support/project-files.ts';
import type { GeneratedTable } from './generated-tables.ts';

const figures = JSON.parse(textOf(figuresFile)) as Figures;
const runs = Object.values(figures);
const allRows = runs.flatMap(({ rows }) => rows);

const document = 'docs/measurements.md';
const count = (value: number): string => withUnit(value, 'count');

/** Tables of benches with the title of their first column. */
const titles: Readonly<Record<string, string>> = {
  parallel: 'encode',
  'parallel-others': 'encode',
  loudness: 'encode',
  'loudness-passes': 'processor time',
  'loudness-limiter': 'tone',
  queue: 'what',
  clips: 'what',
  overhead: 'source',
  phases: 'job',
  start: 'command',
  sandbox: 'ffmpeg',
  traces: 'what',
  download: 'network',
  delivery: 'WAV',
  stores: 'store',
  memory: 'job',
  'large-requests': 'of 15 MB',
  video: 'what',
  package: 'package of',
  'server-list': 'request',
  'server-viewers': 'an encode beside',
  recovery: 'killed',
  limiter: 'waiting at once',
  transcribe: 'transcribed by',
  rollout: 'while',
  admission: 'an encode beside',
  estimates: 'within 15 %',
  'long-film': 'film',
  spread: 'encode',
  'spread-model': 'two hours',
};

/** One row for each subject, and one column for each figure. */
function tableOf(name: string, title: string): GeneratedTable {
  const isSpread = name.startsWith('spread');
  const rows = allRows.filter(({ table }) => table === name);
  const columns = [...new Set(rows.map(({ figure }) => figure))];
  return {
    document: isSpread ? 'docs/measurements-spread.md' : document,
    name,
    columns: [title, ...columns, 'rounds'],
    rows: [...new Set(rows.map(({ what }) => what))].map((what) => {
      const own = rows.filter((row) => row.what === what);
      const cells = columns.map((column) => {
        const row = own.find(({ figure }) => figure === column);
        return row === undefined ? '' : figureText(row);
      });
      return [what, ...cells, count(Math.max(...own.map(({ rounds }) => rounds)))];
    }),
  };
}

const code = (text: string): string => `\`${text}\``;

/** The cell of the section is written by hand. */
const runTable: GeneratedTable = {
  document,
  name: 'runs',
  columns: ['bench', 'section', 'commit', 'date', 'load', 'command'],
  rows: Object.entries(figures).map(([name, { commit, date, loadBefore, command }]) => {
    return [name, undefined, commit, date, loadBefore === undefined ? '' : count(loadBefore), code(command)];
  }),
};

export interface Aim {
  target: Target;
  what: string;
  /** Undefined until the figure has been measured. */
  reached?: Row;
}

/** Each target with each figure that it is about. */
export const aims: readonly Aim[] = targets.flatMap((target): Aim[] => {
  const found = allRows.filter((row) => isAbout(row, target));
  if (found.length > 0) return found.map((reached) => ({ target, what: reached.what, reached }));
  return [{ target, what: target.what ?? 'all' }];
});

export const isMissed = ({ target, reached }: Aim): boolean => (reached?.median ?? 0) > target.atMost;

function verdictOf(aim: Aim): string {
  if (aim.reached === undefined) return 'not measured';
  return isMissed(aim) ? `missed: ${aim.target.why ?? 'not explained yet'}` : 'reached';
}

const aimTable: GeneratedTable = {
  document,
  name: 'asked and reached',
  columns: ['figure', 'asked', 'reached', 'rounds', 'verdict'],
  rows: aims.map((aim) => {
    const { target, what, reached } = aim;
    const name = `${target.table}: ${what}, ${target.figure}`;
    const asked = withUnit(target.atMost, target.unit);
    if (reached === undefined) return [name, asked, '', '', verdictOf(aim)];
    return [name, asked, figureText(reached), count(reached.rounds), verdictOf(aim)];
  }),
};

/** Figures of the README: `{busy}` is the figure "busy" of the named row. */
const highlights: readonly [what: string, table: string, row: string, words: string][] = [
  ['60 minutes to mp3 128k, beside one plain ffmpeg', 'parallel', 'mp3 128k from WAV', '{time} of its time'],
  ['60 minutes to Opus 96k, beside one plain ffmpeg', 'parallel', 'opus 96k music', '{time} of its time'],
  ['a durable `encode` of 1 second, beside ffmpeg', 'overhead', '1 s', '{more} more'],
  [
    '20 concurrent runs over one container',
    ...(['queue', '20 runs, containers: 1', '{answered 429} answered 429; the container {busy} busy'] as const),
  ],
  ['peak memory of the container over a 2 GiB WAV', 'memory', 'a WAV of 2 GiB to FLAC', '{peak}'],
  ['time until work resumes after a killed worker', 'recovery', 'worker', '{until work resumes}'],
  [
    'time that a limiter below its limits adds per chunk',
    'limiter',
    '10 chunks',
    '{added to a chunk}, with 10 waiting',
  ],
  ['30 s of 1080p to H.264, beside one plain ffmpeg', 'video', '30 s to h264, medium', '{time} of its time'],
  ['30 s of 1080p to four sizes, beside four ffmpegs', 'video', '30 s to four sizes, fast', '{time} of their time'],
  [
    'a package of four sizes, beside one ffmpeg that makes all four',
    ...(['package', '60 s, beside one ffmpeg for all four sizes', '{time} of its time, 60 s of 1080p'] as const),
  ],
  [
    'a page of the list with 10,200 runs',
    ...(['server-list', 'the first page, 10,200 runs', '{95th percentile} (95th percentile)'] as const),
  ],
  ['an encode beside 500 viewers of the server', 'server-viewers', '500 viewers', '{time} of its time'],
];

const highlightTable: GeneratedTable = {
  document: 'README.md',
  name: 'measured',
  columns: ['what', 'figure', 'command'],
  rows: highlights.map(([what, table, name, words]) => {
    const run = runs.find(({ rows }) => rows.some((row) => row.table === table && row.what === name));
    const cell = words.replaceAll(/\{(.*?)\}/g, (_, wanted: string) => {
      const row = run?.rows.find(({ figure, ...row }) => row.table === table && row.what === name && figure === wanted);
      if (row === undefined) throw new Error(`${figuresFile} has no figure "${wanted}" of "${name}" in "${table}"`);
      return figureText(row);
    });
    return [what, cell, code(run?.command ?? '')];
  }),
};

export const figureTables: readonly GeneratedTable[] = [
  runTable,
  aimTable,
  ...Object.entries(titles).map(([name, title]) => tableOf(name, title)),
  highlightTable,
];
