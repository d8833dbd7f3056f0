import { basename } from 'node:path';
import { encryptionArguments } from './encryption-arguments.ts';
import type { PackagePart, PackagePlan } from './package-plan.ts';

export const masterName = 'master.m3u8';
export const manifestName = 'manifest.mpd';
export const playlistType = 'application/vnd.apple.mpegurl';

/** The names of a part's files, within the package. */
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
 * What Shaka Packager is told (pure). It runs in the folder of the parts, and writes into `folder` below it: the names of files are
 * fields of its descriptors, where a comma or `=` in the path of the folder above would be one of them.
 */
export function packagerArguments(plan: PackagePlan, folder: string): string[] {
  const { kinds, layout, segmentSeconds, keyframeSeconds } = plan;
  const streams = plan.parts.map((part) => describePart(part, plan, folder));
  return [
    ...streams,
    // A little less, for its key frames are counted in ticks, and a segment begins with the first at or behind its place.
    ...['--segment_duration', (segmentSeconds - 1e-6).toFixed(6)],
    ...['--fragment_duration', (keyframeSeconds - 1e-6).toFixed(6)],
    // Where DASH alone is wanted, too: it is what the package is checked by.
    ...['--hls_master_playlist_output', `${folder}/${masterName}`],
    ...(kinds.includes('dash') ? ['--mpd_output', `${folder}/${manifestName}`] : []),
    ...(kinds.includes('dash') && layout === 'files' ? ['--generate_static_live_mpd'] : []),
    ...(plan.encryption === undefined ? [] : encryptionArguments(plan.encryption)),
    // In the system's temp folder, where it would be otherwise, it may not write.
    ...['--temp_dir', folder],
    // Init segments would say when they were made, and be others each time.
    ...['--use_fake_clock_for_muxer', '--quiet'],
  ];
}

function describePart(part: PackagePart, { kinds, layout, parts }: PackagePlan, folder: string): string {
  const { kind, name, language, title } = part;
  const { main, keyFrames, media } = partNames(part, layout);
  const sounds = parts.filter((other) => other.kind === 'audio');
  const hasPictures = sounds.length < parts.length;
  const files =
    'whole' in media
      ? [`output=${folder}/${media.whole}`]
      : [`init_segment=${folder}/${media.init}`, `segment_template=${folder}/${media.segments}`];
  const hls = [
    `playlist_name=${main}`,
    ...(keyFrames === undefined ? [] : [`iframe_playlist_name=${keyFrames}`]),
    // Without pictures each is a choice by itself, and beside them all are choices of one group.
    ...(kind === 'audio'
      ? [`hls_group_id=${hasPictures ? soundGroup(part, sounds) : name}`, `hls_name=${title ?? name}`]
      : []),
  ];
  return [
    `in=${basename(part.path)}`,
    `stream=${kind}`,
    ...files,
    ...(language === undefined ? [] : [`language=${language}`]),
    ...(kind === 'audio' && sounds.length > 1 && hasPictures && kinds.includes('dash')
      ? [`dash_roles=${part === sounds.find((one) => isOfGroup(one, part)) ? 'main' : 'alternate'}`]
      : []),
    ...hls,
  ].join(',');
}

/** Groups of sound beside pictures: a player takes the codec that it can play (RFC 8216, 4.3.4.2), and then a language. */
const isOfGroup = (one: PackagePart, other: PackagePart): boolean => one.plan.audio?.codec === other.plan.audio?.codec;

function soundGroup(part: PackagePart, [first = part]: readonly PackagePart[]): string {
  return isOfGroup(part, first) ? 'audio' : `audio-${part.plan.audio?.codec}`;
}
