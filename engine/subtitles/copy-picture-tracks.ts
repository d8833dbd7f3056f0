import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { MediaError } from '../media-error.ts';
import { subtitleCopyGuards, subtitlePictureGuards } from '../ffmpeg/guards.ts';
import { probeFile } from '../ffmpeg/probe.ts';
import { readDisplayDefinition } from '../formats/dvb/display-definition.ts';
import { runWithinLimits } from '../ffmpeg/limited-run.ts';
import type { TextRun } from './read-texts.ts';
import { readSubtitlePackets } from './read-subtitle-packets.ts';
import { sourceZeroSeconds } from './subtitle-pictures.ts';
import type { SubtitlePictures, SubtitleTrack } from '../source/subtitle-track.ts';

/** Codecs that are kept and drawn, by ffprobe's names. */
const knownCodecs: readonly SubtitlePictures['codec'][] = ['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle'];

/**
 * Each packet changes the display. A three-hour film has 5000 packets, or twice as many including those that clear the
 * screen.
 */
const maxPackets = 100_000;

export function pictureCodecOf({ codec }: Pick<SubtitleTrack, 'codec'>): SubtitlePictures['codec'] | undefined {
  return knownCodecs.find((known) => known === codec);
}

/**
 * Copies these tracks of a source in one pass, each to its own file. `-copyts` keeps packet times on the clock of the
 * pictures.
 */
export async function copyPictureTracks(
  source: string,
  tracks: readonly SubtitleTrack[],
  { limits, job }: TextRun,
): Promise<Map<SubtitleTrack, SubtitlePictures>> {
  const copied = new Map<SubtitleTrack, SubtitlePictures>();
  const places = tracks.flatMap((track) => {
    const codec = pictureCodecOf(track);
    return codec === undefined ? [] : [{ track, codec, path: join(job.folder, `subtitles-of-track-${track.index}`) }];
  });
  if (places.length === 0) return copied;
  const clock = ['-output_ts_offset', String(sourceZeroSeconds)];
  const options = ['-c', 'copy', '-map_metadata', '-1', '-map_chapters', '-1', ...clock, '-f', 'matroska'];
  const run = {
    input: source,
    inputOptions: [...subtitleCopyGuards, '-copyts'],
    outputs: places.map(({ track, path }) => ({ path, options: ['-map', `0:${track.index}`, ...options] })),
  };
  await runWithinLimits(run, limits, job.signal);
  for (const { track, codec, path } of places) {
    const copies = await readSubtitlePackets(path, 0, job.signal);
    const packets = copies.map((copy) => ({ ...copy, startMs: copy.startMs - sourceZeroSeconds * 1000 }));
    if (packets.length > maxPackets) {
      throw new MediaError(
        'unsupported_format',
        `Picture subtitles may have at most ${maxPackets} packets, and track ${track.track} has ${packets.length}.`,
      );
    }
    copied.set(track, { path, codec, canvas: await readCanvas(path, codec, job.signal), packets });
  }
  return copied;
}

/** Pixels of a canvas: 4096x2304, the size of the largest films. */
const maxCanvasPixels = 4096 * 2304;

/** Bytes of a file's start, in which broadcast packets state the canvas. ffprobe does not read it. */
const headBytes = 1024 ** 2;

async function readCanvas(
  path: string,
  codec: SubtitlePictures['codec'],
  signal: AbortSignal,
): Promise<SubtitlePictures['canvas']> {
  if (codec === 'dvb_subtitle') {
    const head = createReadStream(path, { end: headBytes - 1 });
    return readDisplayDefinition(Buffer.concat(await head.toArray()));
  }
  const { streams } = await probeFile(path, { signal, guards: subtitlePictureGuards(maxCanvasPixels) });
  const { width = 0, height = 0 } = streams[0] ?? {};
  return width > 1 && height > 1 && width * height <= maxCanvasPixels ? { width, height } : undefined;
}
