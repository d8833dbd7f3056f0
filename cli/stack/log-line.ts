import { formatClockTime } from '../text/format-time.ts';

/** Levels of lines that the terminal shows. */
const shownLevels = ['info', 'warn', 'error', 'fatal'];
const errorLevels = ['error', 'fatal'];

interface LogLine {
  /** ISO 8601, or milliseconds since the epoch. */
  time?: number | string;
  level?: string;
  msg?: string;
  sdkComponent?: string;
}

/** Undefined for lines that do not belong on the terminal, such as each request to the container. */
export function formatLogLine(part: string, line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() === '' ? undefined : `${part}: ${line}`;
  try {
    const { time, level = 'info', msg, sdkComponent } = JSON.parse(line) as LogLine;
    // At each start, the SDK's worker warns that a queue is polled only for workflows or only for activities; this is
    // intended.
    const shown = sdkComponent === 'worker' ? errorLevels : shownLevels;
    if (msg === undefined || !shown.includes(level) || /^request (?:completed|aborted)/.test(msg)) return undefined;
    return `${formatClockTime(new Date(time ?? Date.now()))} ${part.padEnd(9)} ${msg}`;
  } catch {
    return undefined;
  }
}
