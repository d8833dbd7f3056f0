import type { PresetView } from '../state/session.ts';
import type { SourceKind } from './source-kind.ts';

export type PresetGroup = 'web' | 'streaming' | 'social' | 'sound' | 'podcast' | 'speech' | 'archive';

type Settings = Partial<Pick<PresetView, 'package' | 'video' | 'audio'>>;

/** Groups in which results are offered, in order. */
const groupsOf: Readonly<Record<SourceKind, readonly PresetGroup[]>> = {
  film: ['web', 'streaming', 'social', 'sound', 'archive'],
  sound: ['podcast', 'speech', 'archive', 'streaming'],
};

/** Speech recognition works at lower rates than music needs. */
const mostSpeechRate = 24_000;
const losslessCodecs: ReadonlySet<string | undefined> = new Set(['flac', 'pcm', 'alac', 'ffv1', 'prores']);

/** A package has pictures unless it leaves them out. */
export function hasPictures({ package: kinds, video }: Settings): boolean {
  return kinds === undefined ? Boolean(video) : video !== false;
}

/** The presets that suit a kind of source, in groups. A film also gives sound; sound gives no film. */
export function groupPresets<Preset extends Settings>(
  presets: readonly Preset[],
  kind: SourceKind,
): { group: PresetGroup; presets: Preset[] }[] {
  return groupsOf[kind].flatMap((group) => {
    const found = presets.filter((preset) => groupOf(preset, kind) === group);
    return found.length === 0 ? [] : [{ group, presets: found }];
  });
}

function groupOf(preset: Settings, kind: SourceKind): PresetGroup | undefined {
  if (hasPictures(preset)) return kind === 'film' ? groupOfFilm(preset) : undefined;
  if (kind === 'film') return 'sound';
  if (preset.package !== undefined) return 'streaming';
  const [track] = preset.audio ? [preset.audio].flat() : [];
  if (losslessCodecs.has(track?.codec)) return 'archive';
  return (track?.sampleRate ?? Infinity) <= mostSpeechRate ? 'speech' : 'podcast';
}

function groupOfFilm({ package: kinds, video }: Settings): PresetGroup {
  if (kinds !== undefined) return 'streaming';
  const { codec, fit, keyframeInterval } = video || {};
  if (fit === 'cover' || fit === 'blur') return 'social';
  // Proxies for editing have frequent key frames.
  return losslessCodecs.has(codec) || keyframeInterval !== undefined ? 'archive' : 'web';
}
