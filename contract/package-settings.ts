import type { PackageKind, PackageOptions, Rendition, PackageTrack } from './http/package.ts';
import type { OutputSettings } from './output-settings.ts';

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
  tracks: PackageTrackSettings[];
}

/** Of segments, where nobody says. */
const defaultSegmentSeconds = 6;

/** Of time between two key frames at most: players change the rendition there, and seek to there. */
const mostKeyframeSeconds = 2;

/** kbit/s and Hz: sound as every player takes it. */
const defaultTrack: PackageTrack = { codec: 'aac', bitrate: 128, channels: 2, sampleRate: 48_000 };

/** What is asked of a package, of a preset and a request together. */
export interface WantedPackage extends Omit<PackageOptions, 'package'> {
  kinds: PackageKind[];
  /** Undefined: as everything takes it, where the source has sound. */
  tracks: PackageTrack[] | undefined;
  isSilent: boolean;
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
  hasPictures: boolean,
  resolve: (part: PartOptions) => OutputSettings,
): OutputSettings {
  const { kinds, renditions = 'auto', segmentSeconds = defaultSegmentSeconds, layout = 'files' } = wanted;
  const keyframeInterval = segmentSeconds / Math.ceil(segmentSeconds / mostKeyframeSeconds);
  const pictures = hasPictures && { keyframeInterval };
  const asked = wanted.isSilent ? [] : (wanted.tracks ?? [defaultTrack]);
  const tracks = asked.map(({ track, language, name, ...audio }): PackageTrackSettings => {
    const part = { container: 'm4a', video: false, audio: { ...defaultTrack, ...audio } } as const;
    return { language, name, output: resolve(track === undefined ? part : { ...part, track }) };
  });
  const sized = renditions === 'auto' || pictures === false ? undefined : renditions;
  const whole = resolve({ container: 'mp4', video: pictures, audio: pictures === false ? defaultTrack : false });
  return {
    ...whole,
    audio: tracks[0]?.output.audio,
    needsAudio: wanted.tracks !== undefined || !hasPictures,
    package: {
      ...{ kinds, layout, segmentSeconds, tracks },
      renditions: sized?.map((size) =>
        resolve({ container: 'mp4', video: { ...size, keyframeInterval }, audio: false }),
      ),
    },
  };
}
