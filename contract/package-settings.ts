import type { PackageKind, PackageOptions, Rendition, PackageTrack } from './http/package.ts';
import { type EncryptionSettings, settleEncryption } from './encryption-settings.ts';
import { type FilmImageSettings, resolveFilmImage } from './film-image-settings.ts';
import type { ContainerEncryption } from './http/encryption.ts';
import { type OutputNaming, type OutputSettings, UnsupportedOutput } from './output-settings.ts';

/** A track of sound of a package. */
export interface PackageTrackSettings {
  /** As for a file of that sound alone. */
  output: OutputSettings;
  language: string | undefined;
  name: string | undefined;
}

/** What a package is to be, beside what all its pictures have in common. */
export interface PackageSettings {
  kinds: PackageKind[];
  layout: 'files' | 'byte_ranges';
  segmentSeconds: number;
  /** Undefined: those that suit the source. Each as for a file of these pictures alone. */
  renditions: OutputSettings[] | undefined;
  /** Which of those that suit the source its film needs is found out by trying. */
  isPerTitle: boolean;
  tracks: PackageTrackSettings[];
  encryption: EncryptionSettings | undefined;
  thumbnails: FilmImageSettings | undefined;
}

/** Of segments, where nobody says. */
const defaultSegmentSeconds = 6;

/** Of time between two key frames at most: players change the rendition there, and seek to there. */
const mostKeyframeSeconds = 2;

/** kbit/s and Hz: sound as every player takes it. */
const defaultTrack: PackageTrack = { codec: 'aac', bitrate: 128, channels: 2, sampleRate: 48_000 };

/** For what is not asked of a track: who asks for a quality, or for a codec without loss, has no bitrate. */
function defaultsOf({ codec, quality }: Pick<PackageTrack, 'codec' | 'quality'>): PackageTrack {
  const { bitrate: _, ...unbounded } = defaultTrack;
  return quality !== undefined || codec === 'alac' ? unbounded : defaultTrack;
}

/** What is asked of a package, of a preset and a request together. */
export interface WantedPackage extends Omit<PackageOptions, 'package'> {
  kinds: PackageKind[];
  /** Undefined: as everything takes it, where the source has sound. */
  tracks: PackageTrack[] | undefined;
  isSilent: boolean;
  encryption: ContainerEncryption | undefined;
}

/** The parts of an output that the resolver of outputs knows. */
interface PartOptions {
  container: string;
  video: (Rendition & { keyframeInterval: number }) | false;
  audio: Omit<PackageTrack, 'track' | 'language' | 'name'> | false;
  track?: PackageTrack['track'];
}

/** What a package comes to; `resolve` knows what one part of it comes to, with all that its parts have in common (pure). */
export function resolvePackage(
  wanted: WantedPackage,
  naming: OutputNaming,
  hasPictures: boolean,
  resolve: (part: PartOptions) => OutputSettings,
): OutputSettings {
  if (wanted.thumbnails === true && !hasPictures) {
    throw new UnsupportedOutput(naming, 'thumbnails are of pictures, and it has none');
  }
  if (wanted.perTitle === true && !hasPictures) {
    throw new UnsupportedOutput(naming, 'perTitle is of pictures, and it has none');
  }
  const { kinds, renditions = 'auto', segmentSeconds = defaultSegmentSeconds, layout = 'files' } = wanted;
  if (wanted.perTitle === true && renditions !== 'auto') {
    throw new UnsupportedOutput(naming, 'perTitle chooses the renditions; leave them out, or say "auto"');
  }
  const keyframeInterval = segmentSeconds / Math.ceil(segmentSeconds / mostKeyframeSeconds);
  const pictures = hasPictures && { keyframeInterval };
  const asked = wanted.isSilent ? [] : (wanted.tracks ?? [defaultTrack]);
  const tracks = asked.map(({ track, language, name, ...audio }): PackageTrackSettings => {
    // Ogg is what Opus is encoded to everywhere; the packager is given it as MP4.
    const container = audio.codec === 'opus' ? 'ogg' : 'm4a';
    const part = { container, video: false, audio: { ...defaultsOf(audio), ...audio } } as const;
    return { language, name, output: resolve(track === undefined ? part : { ...part, track }) };
  });
  const sized = renditions === 'auto' || pictures === false ? undefined : renditions;
  const whole = resolve({ container: 'mp4', video: pictures, audio: pictures === false ? defaultTrack : false });
  if (wanted.thumbnails === true && whole.trim !== undefined) {
    throw new UnsupportedOutput(naming, 'thumbnails are of a whole film, and trim leaves out some of it');
  }
  return {
    ...whole,
    audio: tracks[0]?.output.audio,
    needsAudio: wanted.tracks !== undefined || !hasPictures,
    package: {
      ...{ kinds, layout, segmentSeconds, tracks, isPerTitle: wanted.perTitle === true },
      encryption: wanted.encryption && settleEncryption(wanted.encryption, { kinds, layout }, naming),
      thumbnails: wanted.thumbnails === true ? resolveFilmImage({ image: 'storyboard' }, naming) : undefined,
      renditions: sized?.map((size) =>
        resolve({ container: 'mp4', video: { ...size, keyframeInterval }, audio: false }),
      ),
    },
  };
}
