import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatVtt, type Cue } from '../../formats/webvtt/webvtt.ts';
import { manifestName, masterName, playlistType } from './packager-arguments.ts';
import type { PackagePlan, PackageSubtitles } from './package-plan.ts';

/**
 * Seconds per subtitle file of a few kilobytes; a film of hours has hundreds. Subtitles may have longer segments than
 * media (RFC 8216bis, 6.2.1).
 */
export const textSegmentSeconds = 60;

interface TextSegment {
  startMs: number;
  endMs: number;
  cues: Cue[];
}

/**
 * Divides cues into segments (pure). A cue that spans several is repeated in each with its own times (RFC 8216, 3.5).
 */
export function segmentTexts(cues: readonly Cue[], seconds: number, every: number): TextSegment[] {
  const wholeMs = Math.max(1, Math.round(seconds * 1000));
  const everyMs = Math.min(wholeMs, every * 1000);
  return Array.from({ length: Math.ceil(wholeMs / everyMs) }, (_, index) => {
    const [startMs, endMs] = [index * everyMs, Math.min(wholeMs, (index + 1) * everyMs)];
    return { startMs, endMs, cues: cues.filter((cue) => cue.startMs < endMs && cue.endMs > startMs) };
  });
}

/** Times are those of the media, which start at 0 (RFC 8216, 3.5). */
const formatSegment = (cues: readonly Cue[]): string =>
  formatVtt(cues).replace('WEBVTT\n', 'WEBVTT\nX-TIMESTAMP-MAP=MPEGTS:0,LOCAL:00:00:00.000\n');

/** Writes the subtitles into the package and adds them to its indexes. Returns the names of the new files. */
export async function offerSubtitles(
  { kinds, layout, subtitles = [] }: PackagePlan,
  seconds: number,
  folder: string,
): Promise<{ name: string; contentType: string }[]> {
  if (subtitles.length === 0) return [];
  const added: { name: string; contentType: string }[] = [];
  const write = async (name: string, contentType: string, text: string): Promise<void> => {
    await writeFile(join(folder, name), text);
    added.push({ name, contentType });
  };
  const isSegmented = layout === 'files';
  for (const { name, cues } of subtitles) {
    const segments = segmentTexts(cues, seconds, isSegmented ? textSegmentSeconds : Infinity);
    // DASH players take the whole file.
    if (kinds.includes('dash') || !isSegmented) await write(`${name}.vtt`, 'text/vtt', formatSegment(cues));
    if (isSegmented && kinds.includes('hls')) {
      await mkdir(join(folder, name), { recursive: true });
      for (const [index, segment] of segments.entries()) {
        await write(`${name}/${index + 1}.vtt`, 'text/vtt', formatSegment(segment.cues));
      }
    }
    if (kinds.includes('hls')) {
      const uris = segments.map((_, index) => (isSegmented ? `${index + 1}.vtt` : `${name}.vtt`));
      await write(playlistOf(name, isSegmented), playlistType, textPlaylist(segments, uris));
    }
  }
  if (kinds.includes('hls'))
    await editFile(join(folder, masterName), (text) => withSubtitleTags(text, subtitles, isSegmented));
  if (kinds.includes('dash')) {
    await editFile(join(folder, manifestName), (text) => withTextSets(text, subtitles, seconds));
  }
  return added;
}

export async function editFile(path: string, change: (text: string) => string): Promise<void> {
  await writeFile(path, change(await readFile(path, 'utf8')));
}

/** Number of such elements in a manifest. The packager counts each kind from 0, and an id must be unique in its kind. */
export const countElements = (manifest: string, name: 'AdaptationSet' | 'Representation'): number =>
  manifest.split(`<${name} `).length - 1;

const playlistOf = (name: string, isSegmented: boolean): string => (isSegmented ? `${name}/main.m3u8` : `${name}.m3u8`);

function textPlaylist(segments: readonly TextSegment[], uris: readonly string[]): string {
  const lengths = segments.map(({ startMs, endMs }) => (endMs - startMs) / 1000);
  return [
    ...['#EXTM3U', '#EXT-X-VERSION:6', '#EXT-X-PLAYLIST-TYPE:VOD'],
    `#EXT-X-TARGETDURATION:${Math.ceil(Math.max(...lengths))}`,
    ...lengths.flatMap((length, index) => [`#EXTINF:${length.toFixed(3)},`, uris[index] ?? '']),
    '#EXT-X-ENDLIST\n',
  ].join('\n');
}

const group = 'subtitles';

/** Apple's names (HLS Authoring Specification, 4.5). */
const forHardOfHearing =
  'public.accessibility.transcribes-spoken-dialog,public.accessibility.describes-music-and-sound';

/** The master playlist with the subtitles (pure): each variant names their group. */
function withSubtitleTags(master: string, subtitles: readonly PackageSubtitles[], isSegmented: boolean): string {
  const tags = subtitles.map(({ name, title, language, isDefault, isForced, isForHardOfHearing }) => {
    const flags = `DEFAULT=${isDefault ? 'YES' : 'NO'},AUTOSELECT=YES,FORCED=${isForced ? 'YES' : 'NO'}`;
    return [
      `#EXT-X-MEDIA:TYPE=SUBTITLES,URI="${playlistOf(name, isSegmented)}",GROUP-ID="${group}"`,
      ...(language === undefined ? [] : [`LANGUAGE="${language}"`]),
      ...[`NAME="${title}"`, flags],
      ...(isForHardOfHearing ? [`CHARACTERISTICS="${forHardOfHearing}"`] : []),
    ].join(',');
  });
  const lines = master
    .split('\n')
    .map((line) => (line.startsWith('#EXT-X-STREAM-INF:') ? `${line},SUBTITLES="${group}"` : line));
  const first = lines.findIndex((line) => /^#EXT-X-(?:MEDIA|STREAM-INF):/.test(line));
  return lines.toSpliced(first, 0, ...tags, '').join('\n');
}

/** The manifest with the subtitles (pure): each is one file. */
function withTextSets(manifest: string, subtitles: readonly PackageSubtitles[], seconds: number): string {
  const [sets, representations] = [countElements(manifest, 'AdaptationSet'), countElements(manifest, 'Representation')];
  const added = subtitles.map(({ name, language, cues, isDefault, isForced, isForHardOfHearing }, index) => {
    const bandwidth = Math.max(1, Math.ceil((Buffer.byteLength(formatSegment(cues)) * 8) / seconds));
    const role = isForced ? 'forced-subtitle' : isForHardOfHearing ? 'caption' : 'subtitle';
    const lang = language === undefined ? '' : ` lang="${language}"`;
    const roles = [...(isDefault ? ['main'] : []), role].map(
      (value) => `      <Role schemeIdUri="urn:mpeg:dash:role:2011" value="${value}"/>`,
    );
    return [
      `    <AdaptationSet id="${sets + index}" contentType="text" mimeType="text/vtt"${lang}>`,
      ...roles,
      `      <Representation id="${representations + index}" bandwidth="${bandwidth}">`,
      `        <BaseURL>${name}.vtt</BaseURL>`,
      ...['      </Representation>', '    </AdaptationSet>\n'],
    ].join('\n');
  });
  return manifest.replace(/^.*<\/Period>/m, (end) => `${added.join('')}${end}`);
}
