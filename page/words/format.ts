import { decodedPart } from '../../contract/url-part.ts';

export function formatBytes(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB'];
  const power = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1);
  const value = bytes / 1000 ** power;
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[power]}`;
}

/** `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min` */
export function formatSpan(seconds: number): string {
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1).replace(/\.0$/, '')} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const [minutes, rest] = [Math.floor(whole / 60), whole % 60];
  if (minutes < 60) return rest === 0 ? `${minutes} min` : `${minutes} min ${rest} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** `3:07`, `1:02:03` */
export function formatClock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const shown = parts[0] === 0 ? parts.slice(1) : parts;
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
}

export function formatTime(iso: string): string {
  return new Date(iso).toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
}

/** `6 PM`, `6:15 PM` or what the user's locale writes. */
export function formatHour(iso: string): string {
  const date = new Date(iso);
  return date.toLocaleTimeString(undefined, {
    hour: 'numeric',
    ...(date.getMinutes() > 0 && { minute: '2-digit' }),
  });
}

/** Time of day, with the date unless it is today. */
export function formatMoment(iso: string, nowMs: number): string {
  const date = new Date(iso);
  const isToday = date.toDateString() === new Date(nowMs).toDateString();
  return isToday
    ? date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' })
    : date.toLocaleString(undefined, { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' });
}

/** Name of a source: the last part of its URL, decoded. A name stays as it is. */
export function nameOfSource(source: string): string {
  if (!/^upload:|:\/\//.test(source)) return source;
  const upload = /^(?:upload:|(?:s3|az|gs):.+\/(?:shared|owner-[\w-]{22})\/)[\w-]{22}-(.+)$/.exec(source)?.[1];
  if (upload !== undefined) return upload;
  const last =
    source
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  // Each run of escapes is decoded separately, because a shortened URL may end within a character.
  return last.replaceAll(/(?:%[\da-f]{2})+/gi, decodedPart) || source;
}

/** One decimal, with a typographic minus sign, which a rounded zero does not have. */
export function formatSigned(value: number): string {
  return (Math.round(value * 10) / 10).toFixed(1).replace('-', '−');
}

export function formatRound(value: number): string {
  return String(value).replace('-', '−');
}
