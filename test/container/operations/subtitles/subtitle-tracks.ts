import { probe } from '../../../support/media-files.ts';
import { run } from '../../../support/process.ts';

export interface ReadCue {
  /** ms */
  from: number;
  to: number;
  text: string;
}

const time = String.raw`(\d+):(\d+):(\d+),(\d+)`;

/** Cues of a track, as plain ffmpeg reads them. */
export async function cuesOf(path: string, track = 0): Promise<ReadCue[]> {
  const args = ['-nostdin', '-v', 'error', '-copyts', '-i', path, '-map', `0:s:${track}`, '-f', 'srt', '-'];
  const { code, output } = await run('ffmpeg', args);
  if (code !== 0) throw new Error(output);
  const milliseconds = (parts: readonly string[]): number =>
    ((Number(parts[0]) * 60 + Number(parts[1])) * 60 + Number(parts[2])) * 1000 + Number(parts[3]);
  return output
    .replaceAll('\r', '')
    .split(/\n\n(?=\d+\n)/)
    .flatMap((block) => {
      const match = new RegExp(String.raw`^\d+\n${time} --> ${time}\n([^]*)$`).exec(block);
      if (match === null) return [];
      const parts = match.slice(1);
      return [{ from: milliseconds(parts), to: milliseconds(parts.slice(4)), text: parts[8]?.trim() ?? '' }];
    });
}

interface ReadTrack {
  codec: string;
  language: string | undefined;
  title: string | undefined;
  isDefault: boolean;
  isForced: boolean;
}

export async function subtitleTracksOf(path: string): Promise<ReadTrack[]> {
  const { streams } = (await probe(path, '-show_streams', '-select_streams', 's')) as {
    streams: { codec_name: string; tags?: Record<string, string>; disposition: { default: number; forced: number } }[];
  };
  return streams.map(({ codec_name: codec, tags = {}, disposition }) => ({
    codec,
    language: tags['language'],
    title: tags['title'] ?? tags['handler_name'],
    isDefault: disposition.default === 1,
    isForced: disposition.forced === 1,
  }));
}
