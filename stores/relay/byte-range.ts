import type { WantedRange } from '../store.ts';

/** Parses `bytes=0-99` and `bytes=100-`. Undefined for other ranges: a server may ignore them (RFC 9110, 14.2). */
export function parseRange(range: string | undefined, ifRange: string | undefined): WantedRange | undefined {
  const [, start, end] = /^bytes=(\d{1,15})-(\d{1,15})?$/.exec(range ?? '') ?? [];
  if (start === undefined) return undefined;
  const wanted = { start: Number(start), end: end === undefined ? undefined : Number(end), version: ifRange };
  return wanted.end !== undefined && wanted.end < wanted.start ? undefined : wanted;
}
