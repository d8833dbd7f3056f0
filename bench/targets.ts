import type { Row } from './figures.ts';

/** What a figure must not exceed, in its unit. `what` is undefined for each row of the table. */
export interface Target extends Pick<Row, 'table' | 'figure' | 'unit'> {
  what: string | undefined;
  atMost: number;
  /** Reason for which the figure misses the target. */
  why: string | undefined;
}

const target = (
  [table, what, figure]: readonly [string, string | undefined, string],
  [atMost, unit]: readonly [number, Row['unit']],
  why?: string,
): Target => ({ table, what, figure, atMost, unit, why });

const beyond = 'more than 1.005 of ffmpeg';
const resumes = 'until work resumes';
const steps = 'probes, the inspection for interlacing, the sound and the check take time of their own (`phases`)';
const passes =
  'the source is measured before the encode, and the result after it, which proves the target (`loudness-passes`)';
const ownEncoder = 'segments overlap and the result is checked, so the processor time is above that of one encoder';
const heartbeat = 'a heartbeat timeout of 4 s';
const hashing = 'segments, the MD5 of all samples and the join take twice the processor time of one encoder';
const copying = 'most of the time goes into reading and writing, and a join would write the file again';
const windows = 'only decoding shows the windows of the channels after the first, so one encoder makes the file';

export const targets: readonly Target[] = [
  target(['parallel', undefined, 'time'], [0.53, 'ratio'], ownEncoder),
  target(['parallel-others', 'VBR mp3, quality 2', 'time'], [0.56, 'ratio']),
  target(['parallel-others', 'FLAC', 'time'], [0.56, 'ratio'], hashing),
  target(['parallel-others', '24-bit WAV', 'time'], [0.56, 'ratio'], copying),
  target(['parallel-others', '5.1 to Opus 256k', 'time'], [0.56, 'ratio']),
  target(['parallel-others', '5.1 to AAC 384k', 'time'], [0.56, 'ratio'], windows),
  target(['loudness', undefined, 'time'], [0.33, 'ratio'], passes),
  target(['loudness', undefined, 'CPU'], [0.6, 'ratio'], passes),
  target(['loudness-limiter', '20 kHz at 44.1 kHz', 'loss'], [0.1, 'dB']),
  target(
    ['overhead', '1 s', 'more'],
    [0.15, 's'],
    'three activities and four workflow tasks; the container takes the rest (`phases`)',
  ),
  // 0.6 of the clips a minute.
  target(
    ['clips', '60 clips of 5 s', 'time'],
    [1.667, 'ratio'],
    'each job also probes its source and checks its result (`phases`)',
  ),
  target(
    ['start', '`npm run encode`, 1 s, own stack', 'time'],
    [3, 's'],
    'three further processes start, and npm itself takes 0.09 s',
  ),
  target(['video', '30 s to h264, medium', beyond], [0.8, 's'], steps),
  target(['video', '60 s to h264, medium', beyond], [0.8, 's'], steps),
  target(['video', '600 s to h264, medium', beyond], [0.8, 's'], steps),
  target(['video', '60 s to hevc, medium', 'time'], [1.02, 'ratio'], steps),
  target(['video', '60 s to av1, medium', 'time'], [1.02, 'ratio'], steps),
  target(['package', '60 s, beside one ffmpeg for all four sizes', 'time'], [1.03, 'ratio'], steps),
  target(['recovery', 'worker', resumes], [5, 's'], heartbeat),
  target(['recovery', 'container', resumes], [10.2, 's'], 'the first backoff is 10 s'),
  target(
    ['recovery', 'worker and container', resumes],
    [12, 's'],
    `${heartbeat}, up to 5 s for the worker of the run, and the backoff of 10 s for a lost job`,
  ),
  target(['recovery', 'ffmpeg, frozen', resumes], [20, 's']),
  target(
    ['server-list', 'the first page, 100,200 runs on PostgreSQL', '95th percentile'],
    [100, 'ms'],
    'PostgreSQL counts all runs, and workers have 60 ms to answer for the running ones',
  ),
  target(['large-requests', '1000 invalid requests', 'later'], [200, 'MiB']),
  target(['transcribe', 'a request, 180 s', 'CPU'], [1.1, 'ratio']),
  target(['admission', undefined, '99th percentile'], [5, 'ms']),
  target(['admission', undefined, 'the encode takes more'], [2, '%'], 'the client alone takes 1.1 % of the two cores'),
];

/** Whether a target is about a figure. */
export const isAbout = (row: Row, { table, what = row.what, figure }: Target): boolean =>
  table === row.table && what === row.what && figure === row.figure;
