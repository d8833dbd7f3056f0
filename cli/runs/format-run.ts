import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { RunDetails } from '../../client/run-details.ts';
import { formatCount } from '../../client/text/format-count.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import type { RunUsage } from '../../contract/usage.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { phaseName, waitSentence } from '../progress/status-line.ts';
import { formatSize } from '../text/format-size.ts';
import { formatDayAndTime } from '../text/format-time.ts';
import { printable } from '../text/printable.ts';
import { wrapLine } from '../text/wrap-text.ts';

/** The fields that name files. Other fields of inputs and results are not shown. */
const Places = z.object({
  sourceName: z.string().optional().catch(undefined),
  sourceUrl: z.string().optional().catch(undefined),
  uploadUrlPrefix: z.string().optional().catch(undefined),
  outputs: z
    .array(
      z.object({
        uploadUrl: z.string().optional().catch(undefined),
        uploadUrlPrefix: z.string().optional().catch(undefined),
      }),
    )
    .catch([]),
});

const labelWidth = 'attempts'.length;
const margin = '  ';

interface FormatOptions {
  now: Date;
  /** Characters of the terminal; undefined puts no limit on lines. */
  width?: number | undefined;
  address: string | undefined;
  /** Undefined without prices. */
  cost?: number;
  currency?: string;
}

export function formatRun(run: RunDetails, { now, width = Infinity, address, cost, currency }: FormatOptions): string {
  const { record, state, status, input, failure, usage } = run;
  const { sourceName, sourceUrl, uploadUrlPrefix, outputs } = Places.catch({ outputs: [] }).parse(input);
  const { startedAt, endedAt } = record;
  const took = formatDuration(((endedAt ?? now).getTime() - startedAt.getTime()) / 1000);
  const doing =
    status === undefined ? [] : [waitSentence(status) ?? `${phaseName(status)}, ${Math.floor(status.percent)} %`];
  const unmade = endedAt === undefined ? 'not made yet' : state === 'succeeded' ? undefined : 'not made';
  const places = [uploadUrlPrefix, ...outputs.map((output) => output.uploadUrl ?? output.uploadUrlPrefix)];
  const lines: [string, string | undefined][] = [
    ['state', [state, ...doing].join(': ')],
    ['name', sourceName],
    ['source', sourceUrl === undefined ? record.source : describePlace(sourceUrl)],
    ...places.map((url): [string, string | undefined] => [
      'output',
      url === undefined ? undefined : describePlace(url, unmade),
    ]),
    ['formats', record.formats?.join(', ')],
    ['owner', record.owner],
    ['started', formatDayAndTime(startedAt, now)],
    [
      endedAt === undefined ? 'running' : 'ended',
      endedAt === undefined ? `for ${took}` : `${formatDayAndTime(endedAt, now)}, after ${took}`,
    ],
    ['attempts', attemptsOf(run)],
    ['usage', usage && formatRunUsage(usage)],
    ['cost', cost === undefined ? undefined : `${cost} ${currency}`],
    ['failure', failure],
    ['Web UI', address],
  ];
  const shown = lines.flatMap(([label, text]) =>
    text === undefined
      ? []
      : [
          `${margin}${label.padEnd(labelWidth)}${margin}${text
            .split('\n')
            .flatMap((line) => wrapLine(printable(line), width - labelWidth - margin.length * 2))
            .join(`\n${' '.repeat(labelWidth + margin.length * 2)}`)}`,
        ],
  );
  return [record.workflowId, ...shown].join('\n');
}

function attemptsOf({ counts, status }: RunDetails): string | undefined {
  if (counts === undefined) return status === undefined || status.attempt === 0 ? undefined : String(status.attempt);
  const { attempts, rateLimitHits, connectionErrors } = counts;
  if (rateLimitHits + connectionErrors === 0) return String(attempts);
  return `${attempts} (${formatCount(rateLimitHits, 'time')} busy, ${formatCount(connectionErrors, 'connection error')})`;
}

function formatRunUsage({ seconds, cpuSeconds, bytesIn, bytesOut, providers = {} }: RunUsage): string {
  const processor = cpuSeconds === undefined ? [] : [`${cpuSeconds.toFixed(1)} s of processor time`];
  const calls = Object.entries(providers).map(
    ([key, { calls, audioSeconds }]) =>
      `${formatCount(calls, 'call')} of ${key} (${formatDuration(audioSeconds)} of audio)`,
  );
  const jobs = `${seconds.toFixed(1)} s in containers`;
  return [...processor, jobs, `${formatSize(bytesIn)} in`, `${formatSize(bytesOut)} out`, ...calls].join(', ');
}

/** "talk.wav (/media/talk.wav)". `missing` says what became of a local file that does not exist. */
function describePlace(url: string, missing?: string): string {
  const shown = redactUrl(url);
  if (!shown.startsWith('file:') || !URL.canParse(shown)) return shown;
  const path = fileURLToPath(shown);
  const name = path.split('/').findLast((part) => part !== '') ?? path;
  return existsSync(path) ? `${name} (${path})` : `${name} (${missing ?? `no longer in ${dirname(path)}`})`;
}
