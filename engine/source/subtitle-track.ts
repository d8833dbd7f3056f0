import { allowedTextDecoders } from '../ffmpeg/allowed.ts';
import type { Probed } from '../ffmpeg/probed.ts';
import type { Size } from '../ffmpeg/size.ts';
import type { AssScript } from '../formats/ass/ass.ts';
import type { Cue } from '../formats/webvtt/webvtt.ts';

/** A subtitle stream of a downloaded file. */
export interface SubtitleTrack {
  /** Place among the subtitles, from 0. */
  track: number;
  /** Place among all streams of the file. */
  index: number;
  /** ffprobe's name. */
  codec: string;
  /** `picture`: from DVDs, Blu-rays and broadcasts. `other`: not supported. */
  kind: 'text' | 'picture' | 'other';
  /** As named in the file, such as `deu`. */
  language: string | undefined;
  title: string | undefined;
  /** True if the file marks it as the players' choice. */
  isDefault: boolean;
  /** Translates foreign speech for viewers who need no other subtitles. */
  isForced: boolean;
  isForHardOfHearing: boolean;
}

/** ffprobe's names. */
const textCodecs: ReadonlySet<string> = new Set(allowedTextDecoders);
const pictureCodecs: ReadonlySet<string> = new Set(['dvb_subtitle', 'dvd_subtitle', 'hdmv_pgs_subtitle', 'xsub']);

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

/** A packet of picture subtitles in a Matroska file. */
export interface SubtitlePacket {
  startMs: number;
  /** 0: until the next packet, or as the packet itself states. */
  durationMs: number;
  /** Hash of all its bytes. */
  hash: string;
}

/** A picture subtitle track of the source, copied to a Matroska file of its own. */
export interface SubtitlePictures {
  path: string;
  codec: 'hdmv_pgs_subtitle' | 'dvd_subtitle' | 'dvb_subtitle';
  /** Canvas size in pixels, if the track states it. */
  canvas: Size | undefined;
  /** On the source's clock. */
  packets: readonly SubtitlePacket[];
}

/** Content of a text track, on its file's clock. */
export interface SubtitleText {
  /** Text with SubRip markup. Overlapping cues stay separate. */
  cues: Cue[];
  /** The same with styles and positions, for tracks that have them. */
  script?: AssScript;
  /** Characters that no available font has, if the subtitles are burnt in. */
  undrawn?: readonly string[];
}
