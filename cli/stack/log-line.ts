import { formatClockTime } from '../text/format-time.ts';

// pino's level numbers.
const infoLevel = 30;
const errorLevel = 50;

interface LogLine {
  /** ISO 8601, or milliseconds since the epoch. */
  time?: number | string;
  level?: number;
  msg?: string;
  sdkComponent?: string;
}

/** Undefined for lines that do not belong on the terminal, such as each request to the container. */
export function formatLogLine(part: string, line: string): string | undefined {
  if (!line.startsWith('{')) return line.trim() === '' ? undefined : `${part}: ${line}`;
  try {
    const { time, level = infoLevel, msg, sdkComponent } = JSON.parse(line) as LogLine;
    // At each start, the SDK's worker warns that a queue is polled only for workflows or only for activities; this is
    // intended.
    const least = sdkComponent === 'worker' ? errorLevel : infoLevel;
    if (msg === undefined || level < least || /^request (?:completed|aborted)/.test(msg)) return undefined;
    return `${formatClockTime(new Date(time ?? Date.now()))} ${part.padEnd(9)} ${msg}`;
  } catch {
    return undefined;
  }
}
