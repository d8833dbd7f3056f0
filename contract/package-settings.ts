import { isAudioCodec } from './audio-codecs.ts';
import { type EncryptionSettings, settleEncryption } from './encryption-settings.ts';
import type { FileSettings } from './file-settings.ts';
import { resolveStoryboard, type StoryboardSettings } from './film-image-settings.ts';
import type { ContainerEncryption } from './http/encryption.ts';
import type { PackageKind, PackageOptions, PackageTrack, Rendition } from './http/package.ts';
import { fitDefaultBitrate } from './output-rules.ts';
import { type OutputNaming, UnsupportedOutput } from './unsupported-output.ts';

export interface PackageTrackSettings {
  output: FileSettings;
  language: string | undefined;
  name: string | undefined;
}

/** Segments, playlists and manifests of a film or of sound. */
export interface PackageSettings extends OutputNaming {
  kind: 'package';
  kinds: PackageKind[];
  layout: 'files' | 'byte_ranges';
  segmentSeconds: number;
  /** Settings that the pictures of all sizes share. Its sound is that of the first track. */
  common: FileSettings;
  /** Undefined: sizes that suit the source. */
  renditions: FileSettings[] | undefined;
  /** Trial encodings of samples choose among the sizes that suit the source. */
  isPerTitle: boolean;
  tracks: PackageTrackSettings[];
  encryption: EncryptionSettings | undefined;
  thumbnails: StoryboardSettings | undefined;
}

const defaultSegmentSeconds = 6;

/** Players switch renditions and seek at key frames. */
const mostKeyframeSeconds = 2;

/** Sound that every player supports: kbit/s and Hz. */
const defaultTrack: PackageTrack = { codec: 'aac', bitrate: 128, channels: 2, sampleRate: 48_000 };

/** A track with a quality or a lossless codec has no bitrate. The default bitrate yields to a requested sample rate. */
function defaultsOf({ codec = 'aac', quality, sampleRate, channels = 2 }: Omit<PackageTrack, 'track'>): PackageTrack {
  const { bitrate, ...unbounded } = defaultTrack;
  if (quality !== undefined || codec === 'alac') return unbounded;
  if (!isAudioCodec(codec)) return defaultTrack;
  return { ...unbounded, bitrate: fitDefaultBitrate({ codec, sampleRate }, bitrate, channels) };
}

/** Options of a preset and a request, merged. */
export interface WantedPackage extends Omit<PackageOptions, 'package'> {
  kinds: PackageKind[];
  /** Undefined: one default track if the source has sound. */
  tracks: PackageTrack[] | undefined;
  isSilent: boolean;
  hasPictures: boolean;
  needsAudio: boolean;
  encryption: ContainerEncryption | undefined;
}

/** Options that differ between the parts of a package. */
interface PartOptions {
  container: string;
  video: (Rendition & { keyframeInterval: number }) | false;
  audio: Omit<PackageTrack, 'track' | 'language' | 'name'> | false;
  track?: PackageTrack['track'];
}

/** Applies the defaults of packages (pure). `resolve` adds the options that all parts share. */
export function resolvePackage(
  wanted: WantedPackage,
  naming: OutputNaming,
  resolve: (part: PartOptions) => FileSettings,
): PackageSettings {
  const { kinds, hasPictures, renditions = 'auto', segmentSeconds = defaultSegmentSeconds, layout = 'files' } = wanted;
  for (const field of ['thumbnails', 'perTitle'] as const) {
    if (wanted[field] !== true || hasPictures) continue;
    throw new UnsupportedOutput(
      naming,
      `${field} ${field === 'perTitle' ? 'needs' : 'need'} pictures, and it has none`,
    );
  }
  if (wanted.perTitle === true && renditions !== 'auto') {
    throw new UnsupportedOutput(naming, 'perTitle chooses the renditions; leave them out, or use "auto"');
  }
  const keyframeInterval = segmentSeconds / Math.ceil(segmentSeconds / mostKeyframeSeconds);
  const asked = wanted.isSilent ? [] : (wanted.tracks ?? [defaultTrack]);
  const tracks = asked.map(({ track, language, name, ...audio }): PackageTrackSettings => {
    // Opus is always encoded to Ogg; the packager receives it as MP4.
    const container = audio.codec === 'opus' ? 'ogg' : 'm4a';
    const part = { container, video: false, audio: { ...defaultsOf(audio), ...audio } } as const;
    return { language, name, output: resolve(track === undefined ? part : { ...part, track }) };
  });
  const common = resolve({
    container: 'mp4',
    video: hasPictures && { keyframeInterval },
    audio: hasPictures ? false : defaultTrack,
  });
  if (wanted.thumbnails === true && common.trim !== undefined) {
    throw new UnsupportedOutput(naming, 'thumbnails show the whole film, so they cannot be combined with trim');
  }
  return {
    kind: 'package',
    ...naming,
    kinds,
    layout,
    segmentSeconds,
    common: { ...common, audio: tracks[0]?.output.audio, needsAudio: wanted.needsAudio },
    renditions:
      renditions === 'auto' || !hasPictures
        ? undefined
        : renditions.map((size) => resolve({ container: 'mp4', video: { ...size, keyframeInterval }, audio: false })),
    isPerTitle: wanted.perTitle === true,
    tracks,
    encryption: wanted.encryption && settleEncryption(wanted.encryption, { kinds, layout }, naming),
    thumbnails: wanted.thumbnails === true ? resolveStoryboard({}, naming) : undefined,
  };
}
