import { basename } from 'node:path';
import { encryptionArguments } from './encryption-arguments.ts';
import type { PackagePart, PackagePlan } from './package-plan.ts';

export const masterName = 'master.m3u8';
export const manifestName = 'manifest.mpd';
export const playlistType = 'application/vnd.apple.mpegurl';

/** Names of a part's files within the package. */
export interface PartNames {
  main: string;
  /** Pictures only. */
  keyFrames?: string;
  media: { init: string; segments: string } | { whole: string };
}

/** Playlists are beside the manifest or with the segments: the packager writes other `/` in a manifest as `%2F`. */
export function partNames(
  { kind, name }: Pick<PackagePart, 'kind' | 'name'>,
  layout: PackagePlan['layout'],
): PartNames {
  const isFolder = layout === 'files';
  return {
    main: isFolder ? `${name}/main.m3u8` : `${name}.m3u8`,
    ...(kind === 'video' && { keyFrames: isFolder ? `${name}/iframes.m3u8` : `${name}-iframes.m3u8` }),
    media: isFolder ? { init: `${name}/init.mp4`, segments: `${name}/$Number$.m4s` } : { whole: `${name}.mp4` },
  };
}

/**
 * Arguments of Shaka Packager (pure). It runs in the folder of the parts and writes to `folder` below it: file names
 * are fields of its descriptors, in which a comma or `=` of an absolute path would be a separator.
 */
export function packagerArguments(plan: PackagePlan, folder: string): string[] {
  const { kinds, layout, segmentSeconds, keyframeSeconds } = plan;
  const streams = plan.parts.map((part) => describePart(part, plan, folder));
  return [
    ...streams,
    // Slightly shorter: key frames are counted in ticks, and a segment starts at the first one at or after its place.
    ...['--segment_duration', (segmentSeconds - 1e-6).toFixed(6)],
    ...['--fragment_duration', (keyframeSeconds - 1e-6).toFixed(6)],
    // Written for DASH-only packages too: the checks read it.
    ...['--hls_master_playlist_output', `${folder}/${masterName}`],
    ...(kinds.includes('dash') ? ['--mpd_output', `${folder}/${manifestName}`] : []),
    ...(kinds.includes('dash') && layout === 'files' ? ['--generate_static_live_mpd'] : []),
    ...(plan.encryption === undefined ? [] : encryptionArguments(plan.encryption)),
    // The packager may not write to its default, the system's temp folder.
    ...['--temp_dir', folder],
    // Otherwise init segments would contain the time and differ in each run.
    ...['--use_fake_clock_for_muxer', '--quiet'],
  ];
}

function describePart(part: PackagePart, { kinds, layout, parts }: PackagePlan, folder: string): string {
  const { kind, name, language, title } = part;
  const { main, keyFrames, media } = partNames(part, layout);
  const sounds = parts.filter((other) => other.kind === 'audio');
  const hasPictures = sounds.length < parts.length;
  const shown = title ?? name;
  const isBeside = kind === 'audio' && hasPictures && kinds.includes('dash');
  const files =
    'whole' in media
      ? [`output=${folder}/${media.whole}`]
      : [`init_segment=${folder}/${media.init}`, `segment_template=${folder}/${media.segments}`];
  const hls = [
    `playlist_name=${main}`,
    ...(keyFrames === undefined ? [] : [`iframe_playlist_name=${keyFrames}`]),
    // Without pictures each track is a variant of its own; beside pictures, all belong to one group.
    ...(kind === 'audio' ? [`hls_group_id=${hasPictures ? soundGroup(part, sounds) : name}`, `hls_name=${shown}`] : []),
  ];
  return [
    `in=${basename(part.path)}`,
    `stream=${kind}`,
    ...files,
    ...(language === undefined ? [] : [`language=${language}`]),
    // Without labels, tracks of one language would be one adaptation set, and players would take them for bitrates.
    ...(isBeside ? [`dash_label=${shown}`] : []),
    ...(isBeside && sounds.length > 1
      ? [`dash_roles=${part === sounds.find((one) => isOfGroup(one, part)) ? 'main' : 'alternate'}`]
      : []),
    ...hls,
  ].join(',');
}

/**
 * Whether both belong to one group of sound: a player selects a supported codec (RFC 8216, 4.3.4.2), then a language.
 */
const isOfGroup = (one: PackagePart, other: PackagePart): boolean => one.plan.audio?.codec === other.plan.audio?.codec;

function soundGroup(part: PackagePart, [first = part]: readonly PackagePart[]): string {
  return isOfGroup(part, first) ? 'audio' : `audio-${part.plan.audio?.codec}`;
}
