import type { Probed } from '../ffmpeg/probed.ts';

/** A stream of subtitles of a downloaded file. */
export interface SubtitleTrack {
  /** its place among the subtitles, from 0 */
  track: number;
  /** its place among all streams of the file */
  index: number;
  /** ffprobe's name */
  codec: string;
  /** `picture`: of DVDs, Blu-rays and broadcasts. `other`: nothing here reads it. */
  kind: 'text' | 'picture' | 'other';
  /** as the file names it, such as `deu` */
  language: string | undefined;
  title: string | undefined;
  /** The file says that players choose it. */
  isDefault: boolean;
  /** It translates what is said in a foreign language, for those who need no other subtitles. */
  isForced: boolean;
  isForHardOfHearing: boolean;
}

/** ffprobe's names. */
const textCodecs: ReadonlySet<string> = new Set(['ass', 'mov_text', 'srt', 'ssa', 'subrip', 'text', 'webvtt']);
const pictureCodecs: ReadonlySet<string> = new Set(['dvb_subtitle', 'dvd_subtitle', 'hdmv_pgs_subtitle', 'xsub']);

/** (pure) */
export function describeSubtitles({ streams }: Probed): SubtitleTrack[] {
  return streams
    .filter(({ codec_type }) => codec_type === 'subtitle')
    .map(({ index, codec_name: codec, tags, disposition }, track) => ({
      ...{ track, index, codec },
      kind: textCodecs.has(codec) ? 'text' : pictureCodecs.has(codec) ? 'picture' : 'other',
      language: tags['language'],
      title: tags['title'],
      isDefault: disposition.default === 1,
      isForced: disposition.forced === 1,
      isForHardOfHearing: disposition.hearing_impaired === 1,
    }));
}
