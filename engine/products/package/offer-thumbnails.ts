import { mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { countElements, editFile } from './offer-subtitles.ts';
import { manifestName, masterName, playlistType } from './packager-arguments.ts';
import type { PackagePlan } from './package-plan.ts';

/** Evenly spaced thumbnails of the film, many per sheet. */
export interface Thumbnails {
  sheets: { path: string; contentType: string }[];
  /** Size of one thumbnail in pixels. */
  size: { width: number; height: number };
  tiles: { interval: number; columns: number; rows: number };
}

/** A sheet, as a segment of pictures. */
interface Sheet {
  name: string;
  bytes: number;
  seconds: number;
}

/** Names of their files within the package. */
export function thumbnailNames(layout: PackagePlan['layout']): { playlist: string; sheet: (number: string) => string } {
  return layout === 'files'
    ? { playlist: 'thumbnails/main.m3u8', sheet: (number) => `thumbnails/${number}.jpg` }
    : { playlist: 'thumbnails.m3u8', sheet: (number) => `thumbnails-${number}.jpg` };
}

/** Puts the sheets into the package and adds them to its indexes. Returns the names of the new files. */
export async function offerThumbnails(
  { kinds, layout }: PackagePlan,
  thumbnails: Thumbnails,
  seconds: number,
  folder: string,
): Promise<{ name: string; contentType: string }[]> {
  const { tiles } = thumbnails;
  const names = thumbnailNames(layout);
  if (layout === 'files') await mkdir(join(folder, 'thumbnails'));
  const sheetSeconds = tiles.columns * tiles.rows * tiles.interval;
  // The pictures of the source may last a little longer than those of the package.
  const leastSeconds = Math.min(tiles.interval, seconds);
  const sheets: Sheet[] = [];
  for (const [index, { path }] of thumbnails.sheets.entries()) {
    const name = names.sheet(String(index + 1));
    await rename(path, join(folder, name));
    const { size: bytes } = await stat(join(folder, name));
    const left = Math.max(leastSeconds, seconds - index * sheetSeconds);
    sheets.push({ name, bytes, seconds: Math.min(sheetSeconds, left) });
  }
  await writeFile(join(folder, names.playlist), imagePlaylist(sheets, thumbnails));
  await editFile(
    join(folder, masterName),
    (text) => `${text.trimEnd()}\n\n${imageStreamTag(sheets, thumbnails, names.playlist)}\n`,
  );
  if (kinds.includes('dash')) {
    const media = names.sheet('$Number$');
    await editFile(join(folder, manifestName), (text) => {
      const ids = { set: countElements(text, 'AdaptationSet'), representation: countElements(text, 'Representation') };
      return text.replace(/^.*<\/Period>/m, (end) => `${imageAdaptationSet(sheets, thumbnails, media, ids)}${end}`);
    });
  }
  return [
    ...sheets.map(({ name }, index) => ({ name, contentType: thumbnails.sheets[index]?.contentType ?? '' })),
    { name: names.playlist, contentType: playlistType },
  ];
}

const bandwidthOf = (sheets: readonly Sheet[]): number =>
  Math.ceil(Math.max(...sheets.map(({ bytes, seconds }) => (bytes * 8) / seconds)));

/** Roku's image media playlist (https://github.com/image-media-playlist/spec). */
function imagePlaylist(sheets: readonly Sheet[], { size, tiles }: Thumbnails): string {
  const resolution = `${size.width}x${size.height}`;
  const layout = `${tiles.columns}x${tiles.rows}`;
  return [
    ...['#EXTM3U', '#EXT-X-VERSION:7', '#EXT-X-PLAYLIST-TYPE:VOD', '#EXT-X-IMAGES-ONLY'],
    `#EXT-X-TARGETDURATION:${Math.ceil(Math.max(...sheets.map(({ seconds }) => seconds)))}`,
    ...sheets.flatMap(({ name, seconds }) => [
      `#EXTINF:${seconds.toFixed(3)},`,
      `#EXT-X-TILES:RESOLUTION=${resolution},LAYOUT=${layout},DURATION=${tiles.interval}`,
      name.replace(/^.*\//, ''),
    ]),
    '#EXT-X-ENDLIST\n',
  ].join('\n');
}

function imageStreamTag(sheets: readonly Sheet[], { size }: Thumbnails, playlist: string): string {
  const resolution = `${size.width}x${size.height}`;
  return `#EXT-X-IMAGE-STREAM-INF:BANDWIDTH=${bandwidthOf(sheets)},RESOLUTION=${resolution},CODECS="jpeg",URI="${playlist}"`;
}

/** DASH-IF IOP 4.3, 6.2.6: a sheet is a segment. `endNumber`: ISO/IEC 23009-1:2019; older players ignore it. */
function imageAdaptationSet(
  sheets: readonly Sheet[],
  { size, tiles }: Thumbnails,
  media: string,
  ids: { set: number; representation: number },
): string {
  const { columns, rows, interval } = tiles;
  const [width, height] = [columns * size.width, rows * size.height];
  const ticks = Math.round(columns * rows * interval * 1000);
  return [
    `    <AdaptationSet id="${ids.set}" contentType="image" mimeType="image/jpeg">`,
    `      <SegmentTemplate timescale="1000" duration="${ticks}" media="${media}" startNumber="1" endNumber="${sheets.length}"/>`,
    `      <Representation id="${ids.representation}" bandwidth="${bandwidthOf(sheets)}" width="${width}" height="${height}">`,
    `        <EssentialProperty schemeIdUri="http://dashif.org/guidelines/thumbnail_tile" value="${columns}x${rows}"/>`,
    '      </Representation>',
    '    </AdaptationSet>\n',
  ].join('\n');
}
