import { formatCount } from '../../client/text/format-count.ts';
import type { Chunk } from '../../contract/http/chunk.ts';
import type { LoudnessFacts } from '../../contract/http/loudness.ts';
import type { EncodedOutput } from '../../contract/http/output.ts';
import { describeLoudness } from '../../contract/loudness-text.ts';
import { outputLabel } from '../../contract/output-label.ts';
import type { AttemptCounts } from '../../contract/workflow/retry.ts';
import { formatChannels } from '../text/format-channels.ts';
import { formatChecks, formatPictures } from './format-film.ts';
import { formatSize } from '../text/format-size.ts';
import { loudnessLine } from '../text/loudness-line.ts';
import { printable } from '../text/printable.ts';

/** More lines would push the rest of the result off the screen. */
const maxChunkLines = 10;

/** Characters; with the scale it fits into 80. */
const curveWidth = 56;

export function formatOutput(place: string, output: EncodedOutput): string {
  const facts = [
    outputLabel(output),
    ...(output.width === undefined ? [] : [`${output.width} × ${output.height} pixels`]),
    ...formatPictures(output),
    ...(output.peaks === undefined ? [] : [formatCount(output.peaks.length, 'pair') + ' of peaks']),
    ...(output.duration === undefined ? [] : [formatSeconds(output.duration)]),
    ...(output.channels === undefined ? [] : [`${output.sampleRate} Hz ${formatChannels(output.channels)}`]),
    ...(output.bitrate === undefined ? [] : [`${output.bitrate} kbit/s`]),
    ...(output.files === undefined ? [] : [formatCount(output.files.length, 'file')]),
    formatSize(output.size),
    ...(output.chapters === undefined ? [] : [formatCount(output.chapters, 'chapter')]),
    ...(output.cover === undefined ? [] : [`cover of ${output.cover.width} × ${output.cover.height} pixels`]),
  ];
  const loudness = output.loudness === undefined ? [] : formatLoudness(output.loudness);
  const digest = output.sha256 === undefined ? [] : [`sha256 ${output.sha256}`];
  return [
    `  ${printable(place)}`,
    ...[facts.join(' · '), ...formatChecks(output), ...loudness, ...digest].map((line) => `    ${printable(line)}`),
  ].join('\n');
}

/** Line for an optional output that could not be made. */
export function formatLeftOut(output: EncodedOutput, { error }: NonNullable<EncodedOutput['leftOut']>): string {
  return `  ${outputLabel(output)} was skipped: ${printable(error)}`;
}

/** Loudness values and, if measured, their curve. */
function formatLoudness(loudness: LoudnessFacts): string[] {
  const momentary = loudness.curve?.momentary ?? [];
  const curve = momentary.length === 0 ? [] : [loudnessLine(momentary, Math.min(curveWidth, momentary.length))];
  return [...describeLoudness(loudness), ...curve];
}

export function formatChunks(places: readonly string[], chunks: readonly Chunk[]): string {
  const lines = chunks.slice(0, maxChunkLines).map((chunk, index) => {
    const span = `${formatSeconds(chunk.start)} + ${formatSeconds(chunk.duration)}`;
    return `  ${printable(places[index] ?? '')}\n    ${span} · ${formatSize(chunk.size)}\n    sha256 ${chunk.sha256}`;
  });
  if (chunks.length > maxChunkLines) lines.push(`  … and ${chunks.length - maxChunkLines} more`);
  return lines.join('\n');
}

/** "-24.6 → -16.0 LUFS", without repetitions; undefined if no output has a loudness. */
export function formatLoudnessChange(outputs: readonly Pick<EncodedOutput, 'loudness'>[]): string | undefined {
  const shown = (integrated: number | null): string => integrated?.toFixed(1) ?? 'silence';
  const changes = outputs.flatMap(({ loudness }) =>
    loudness === undefined ? [] : [`${shown(loudness.source.integrated)} → ${shown(loudness.integrated)}`],
  );
  return changes.length === 0 ? undefined : `${[...new Set(changes)].join(', ')} LUFS`;
}

/** "Encoded to mp3_128 in 3.2 s", with the retries if there were any. Each of a run's `steps` needs one attempt. */
export function formatHeadline(what: string, tookMs: number, counts: AttemptCounts, steps = 1): string {
  const { attempts, rateLimitHits, connectionErrors } = counts;
  // A step whose earlier result was used again has no attempt.
  const retries = Math.max(attempts - steps, rateLimitHits + connectionErrors);
  const tries =
    retries === 0
      ? ''
      : `, after ${retries} ${retries === 1 ? 'retry' : 'retries'} (${formatCount(rateLimitHits, 'time')} busy, ${formatCount(connectionErrors, 'connection error')})`;
  return `${what} in ${formatSeconds(tookMs / 1000)}${tries}`;
}

function formatSeconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : 1)} s`;
}
