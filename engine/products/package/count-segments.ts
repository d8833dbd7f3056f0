/** ISO 8601, as manifests and their parser have it. */
const durationPattern = /P(?:(\d*)Y)?(?:(\d*)M)?(?:(\d*)D)?(?:T(?:(\d*)H)?(?:(\d*)M)?(?:([\d.]*)S)?)?/;
const unitSeconds = [365 * 86_400, 30 * 86_400, 86_400, 3600, 60, 1];

/** Of a duration such as `PT1M2.5S`; 0 where it is none (pure). */
export function secondsOf(text: string): number {
  const [, ...counts] = durationPattern.exec(text) ?? [];
  return unitSeconds.reduce((sum, seconds, index) => sum + seconds * (Number(counts[index]) || 0), 0);
}

/** Of the first tag in a text; values may hold what ends tags elsewhere. */
const attributeOf = (text: string, name: string): string | undefined =>
  new RegExp(`^(?:[^>"']|"[^"]*"|'[^']*')*?\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
    .exec(text)
    ?.slice(1)
    .find((value) => value !== undefined);

const numberOf = (text: string, name: string): number | undefined => {
  const said = attributeOf(text, name);
  return said === undefined ? undefined : Number.parseInt(said, 10);
};

/** Seconds that a player may ask for: of a live stream those until now, as far as they are kept. */
function offeredSeconds(text: string, nowMs: number): number {
  const mpd = text.slice(Math.max(0, text.search(/<MPD\b/)));
  if (attributeOf(mpd, 'type') !== 'dynamic') return secondsOf(attributeOf(mpd, 'mediaPresentationDuration') ?? '');
  const started = Date.parse(attributeOf(mpd, 'availabilityStartTime') ?? '');
  const kept = attributeOf(mpd, 'timeShiftBufferDepth');
  const running = Number.isNaN(started) ? 0 : (nowMs - started) / 1000;
  return Math.min(running, kept === undefined ? Infinity : secondsOf(kept));
}

/**
 * How many segments a manifest stands for (pure). Its parser writes them down one by one, and few characters stand for billions: a line that
 * is repeated, a length that is divided by that of a segment.
 */
export function countSegments(manifest: string, nowMs: number): number {
  const text = manifest.replaceAll(/<!--[^]*?-->|<!\[CDATA\[[^]*?\]\]>/g, '');
  const offered = offeredSeconds(text, nowMs);
  const [, ...periods] = text.split(/<Period\b/);
  return periods.reduce((sum, period) => {
    const own = attributeOf(period, 'duration');
    const blocks = period.split(/<Segment(?:Template|List)\b/).slice(1);
    const choices = period.match(/<Representation\b/g)?.length ?? 0;
    const seconds = own === undefined ? offered : secondsOf(own);
    const timescale = Math.max(1, ...blocks.map((block) => numberOf(block, 'timescale') ?? 1));
    const named = blocks.reduce((count, block) => count + countOfBlock(block, seconds, timescale), 0);
    // What several choices have in common is said once.
    return sum + named * Math.max(1, Math.ceil(choices / Math.max(1, blocks.length)));
  }, 0);
}

/** Of a template or a list. A `timescale` that it does not say may be that of one above it. */
function countOfBlock(block: string, seconds: number, inherited: number): number {
  const ticks = seconds * (numberOf(block, 'timescale') ?? inherited);
  const lines = block.split(/<S\s/).slice(1);
  const ofLines = lines.reduce((count, line) => {
    const repeats = numberOf(line, 'r') ?? 0;
    return count + (repeats < 0 ? Math.max(1, ticks / (numberOf(line, 'd') ?? 0)) : repeats + 1);
  }, 0);
  const length = numberOf(block, 'duration');
  if (lines.length > 0 || length === undefined) return ofLines;
  return Math.max(0, numberOf(block, 'endNumber') ?? ticks / length);
}
