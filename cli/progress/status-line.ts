import type { ChunkState, WorkflowStatus } from '../../contract/workflow/status.ts';
import { formatSize } from '../text/format-size.ts';
import { formatClockTime, formatDayAndTime } from '../text/format-time.ts';

const phaseNames: Record<WorkflowStatus['phase'], string> = {
  prepare: 'preparing',
  download: 'downloading the source',
  probe: 'inspecting the source',
  measure: 'measuring the loudness',
  encode: 'encoding',
  chunk: 'cutting chunks',
  verify: 'verifying the result',
  upload: 'uploading the result',
  deliver: 'uploading the result',
  process: 'processing the chunks',
  assemble: 'assembling the transcript',
  done: 'done',
};

export function phaseName(status: WorkflowStatus): string {
  if (status.state === 'waiting') return 'waiting';
  if (status.state === 'queued' && status.phase === 'prepare') return status.attempt === 0 ? 'preparing' : 'queued';
  return status.state === 'queued' ? 'queued' : phaseNames[status.phase];
}

/** "3 of 11 completed, 5 processing, 2 waiting"; undefined without chunks. */
export function chunksSentence({ phase, chunks, degraded }: WorkflowStatus): string | undefined {
  if (phase !== 'process' || chunks === undefined) return undefined;
  const count = (...states: ChunkState['state'][]) => chunks.filter(({ state }) => states.includes(state)).length;
  const parts: [number, string][] = [
    [count('processing'), 'processing'],
    [count('waiting_for_permit', 'pending'), 'waiting'],
    [count('backoff'), 'in backoff'],
    [count('failed'), 'failed'],
  ];
  const shown = parts.flatMap(([number, what]) => (number === 0 ? [] : [`${number} ${what}`]));
  if (degraded === true) shown.push('without the limiter');
  return [`${count('completed')} of ${chunks.length} completed`, ...shown].join(', ');
}

/** "3 of 12 segments, 2 running, 1 waiting"; undefined unless segments are being encoded. */
export function segmentsSentence({ spread }: WorkflowStatus): string | undefined {
  if (spread === undefined || spread.done === spread.segments) return undefined;
  const { segments, done, running, waiting } = spread;
  const parts = [`${done} of ${segments} segments`, `${running} running`];
  return [...parts, ...(waiting === 0 ? [] : [`${waiting} waiting`])].join(', ');
}

/** "1,234 frames, 48 fps, 1.9x, 3.2 MiB"; undefined if no video is being encoded. */
export function paceSentence({ speed, video }: WorkflowStatus): string | undefined {
  if (video === undefined) return undefined;
  const { frames, fps, size } = video;
  const rounded = (rate: number): string => rate.toFixed(rate < 1 ? 2 : rate < 10 ? 1 : 0);
  // The rate of the first frames is not known yet: it is 0, or so small that it would show as 0.00.
  const pace = [
    ...(fps === 0 ? [] : [`${rounded(fps)} fps`]),
    ...(speed === undefined || speed < 0.005 ? [] : [`${rounded(speed)}x`]),
  ];
  return [`${frames.toLocaleString('en')} ${frames === 1 ? 'frame' : 'frames'}`, ...pace, formatSize(size)].join(', ');
}

/** "openai/whisper-1 is throttled until 12:00:10: Slow down" */
export function throttleSentence({ phase, throttled = [] }: WorkflowStatus): string | undefined {
  if (phase !== 'process' || throttled.length === 0) return undefined;
  return throttled
    .map(
      ({ provider, until, reason }) => `${provider} is throttled until ${formatDayAndTime(new Date(until))}: ${reason}`,
    )
    .join('; ');
}

/** Reason and end of a wait, in the local time zone. */
export function waitSentence({ waiting, attempt }: WorkflowStatus): string | undefined {
  if (waiting === undefined) return undefined;
  const { reason, unreached = 'container', error } = waiting;
  const cause = error === undefined ? '' : ` (${error.replace(/\.$/, '')})`;
  const why =
    reason === 'rate_limited' ? 'the container is busy with another job' : `the ${unreached} cannot be reached${cause}`;
  return `${why}; attempt ${attempt + 1} at ${formatClockTime(new Date(waiting.until))}`;
}
