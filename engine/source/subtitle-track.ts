import type { Probed } from '../ffmpeg/probed.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { AssScript } from '../formats/ass/ass.ts';
import type { Cue } from '../formats/webvtt/webvtt.ts';

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

/** A packet of subtitles that are pictures, in a file of Matroska. */
export interface SubtitlePacket {
  startMs: number;
  /** 0: until the next one, or as it says itself */
  durationMs: number;
  /** of all its bytes */
  hash: string;
}

/** A track of the source whose subtitles are pictures, copied to a file of its own: Matroska. */
export interface SubtitlePictures {
  path: string;
  codec: 'hdmv_pgs_subtitle' | 'dvd_subtitle' | 'dvb_subtitle';
  /** Pixels of what they lie on, as the track says; undefined where it does not. */
  canvas: Size | undefined;
  /** on the clock of the source */
  packets: readonly SubtitlePacket[];
}

/** What a track says, on the clock of its file. */
export interface SubtitleText {
  /** With the markup of SubRip; those that overlap are several. */
  cues: Cue[];
  /** Of a track with styles and places, the same with them. */
  script?: AssScript;
  /** Of what is drawn over pictures: characters that no font here has. */
  undrawn?: readonly string[];
}
