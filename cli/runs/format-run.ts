import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { RunDetails } from '../../client/run-details.ts';
import { formatCount } from '../../client/text/format-count.ts';
import { formatDuration } from '../../client/text/format-duration.ts';
import { redactUrl } from '../../contract/shown-url.ts';
import { phaseName, waitSentence } from '../progress/status-line.ts';
import { formatDayAndTime } from '../text/format-time.ts';
import { printable } from '../text/printable.ts';

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

export function formatRun(run: RunDetails, { now, address }: { now: Date; address: string | undefined }): string {
  const { record, state, status, input, failure } = run;
  const { sourceName, sourceUrl, uploadUrlPrefix, outputs } = Places.catch({ outputs: [] }).parse(input);
  const { startedAt, endedAt } = record;
  const took = formatDuration(((endedAt ?? now).getTime() - startedAt.getTime()) / 1000);
  const doing =
    status === undefined ? [] : [waitSentence(status) ?? `${phaseName(status)}, ${Math.floor(status.percent)} %`];
  const places = [uploadUrlPrefix, ...outputs.map((output) => output.uploadUrl ?? output.uploadUrlPrefix)];
  const lines: [string, string | undefined][] = [
    ['state', [state, ...doing].join(': ')],
    ['name', sourceName],
    ['source', sourceUrl === undefined ? record.source : describePlace(sourceUrl)],
    ...places.map((url): [string, string | undefined] => [
      'output',
      url === undefined ? undefined : describePlace(url),
    ]),
    ['formats', record.formats?.join(', ')],
    ['owner', record.owner],
    ['started', formatDayAndTime(startedAt, now)],
    [
      endedAt === undefined ? 'running' : 'ended',
      endedAt === undefined ? `for ${took}` : `${formatDayAndTime(endedAt, now)}, after ${took}`,
    ],
    ['attempts', attemptsOf(run)],
    ['failure', failure],
    ['page', address],
  ];
  const shown = lines.flatMap(([label, text]) =>
    text === undefined
      ? []
      : [
          `  ${label.padEnd(labelWidth)}  ${text
            .split('\n')
            .map(printable)
            .join(`\n${' '.repeat(labelWidth + 4)}`)}`,
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

/** "talk.wav (/media/talk.wav)"; a local file that is gone is reported as such. */
function describePlace(url: string): string {
  const shown = redactUrl(url);
  if (!shown.startsWith('file:') || !URL.canParse(shown)) return shown;
  const path = fileURLToPath(shown);
  const name = path.split('/').findLast((part) => part !== '') ?? path;
  return existsSync(path) ? `${name} (${path})` : `${name} (moved or deleted since)`;
}
