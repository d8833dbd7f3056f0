import type { LimiterView } from '../../contract/limiter.ts';
import type { ChunkState } from '../../contract/workflow/status.ts';

/** A longer list is unreadable. */
const maxLines = 200;

interface View {
  chunks: readonly ({ index: number } & ChunkState)[];
  limiters: readonly LimiterView[];
  estimatedDelaySeconds: number | undefined;
}

/** Lists the chunks for the Web UI; consecutive chunks in the same state share a line. */
export function chunkLines({ chunks, limiters, estimatedDelaySeconds }: View): string[] {
  const lines: { first: number; last: number; text: string }[] = [];
  for (const chunk of chunks) {
    const text = stateText(chunk);
    const before = lines.at(-1);
    if (before?.text === text) before.last = chunk.index;
    else lines.push({ first: chunk.index, last: chunk.index, text });
  }
  const shown = lines.slice(0, maxLines).map(({ first, last, text }) => {
    const name = first === last ? `chunk ${first}` : `chunks ${first}–${last}`;
    return `* ${name}: ${text}`;
  });
  if (lines.length > maxLines) shown.push(`* … and ${lines.length - maxLines} more lines`);
  return [...limiters.flatMap(limiterLines), ...delayLines(estimatedDelaySeconds), '', ...shown];
}

function limiterLines({ key, degraded, refused, throttledUntil, throttleReason }: LimiterView): string[] {
  if (degraded)
    return [`**${key}: degraded** · the limiter does not respond; each worker keeps to its share of the limits`, ''];
  if (refused !== undefined) return [`**${key}: waiting** · ${refused}`, ''];
  if (throttledUntil === undefined) return [];
  return [
    `**${key}: throttled** until ${throttledUntil}${throttleReason === undefined ? '' : ` · ${throttleReason}`}`,
    '',
  ];
}

function delayLines(seconds: number | undefined): string[] {
  return seconds === undefined || seconds === 0 ? [] : [`about ${seconds} s left`];
}

function stateText(chunk: ChunkState): string {
  switch (chunk.state) {
    case 'pending':
    case 'completed':
      return chunk.state;
    case 'waiting_for_permit':
      return chunk.attempt === 1 ? 'waiting_for_permit' : `waiting_for_permit · attempt ${chunk.attempt}`;
    case 'processing':
      return `processing · attempt ${chunk.attempt} at ${chunk.provider}`;
    case 'backoff':
      return `backoff · attempt ${chunk.attempt}: ${chunk.error} · until ${chunk.until}`;
    case 'failed':
      return `failed · ${chunk.error}: ${chunk.message}`;
  }
}
