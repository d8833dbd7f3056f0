import { copyFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { containers, type ContainerName } from '../../../../contract/formats.ts';
import type { FileTags } from '../../../../engine/formats/tags/file-tags.ts';
import { tagFile } from '../../../../engine/formats/tags/tag-file.ts';
import { musicOgg } from '../../../support/media.ts';
import { makeMedia } from '../../../support/media-files.ts';

/** Every kind of tagged file as ffmpeg writes it. */
export const taggedKinds: [name: string, container: ContainerName, encoding: string[]][] = [
  ['mp3', 'mp3', ['-c:a', 'libmp3lame', '-b:a', '96k']],
  ['AAC in m4a', 'm4a', ['-c:a', 'aac', '-b:a', '96k']],
  ['ALAC in m4b', 'm4b', ['-c:a', 'alac']],
  ['AC-3 in mp4', 'mp4', ['-c:a', 'ac3', '-b:a', '192k']],
  ['AAC in mov', 'mov', ['-c:a', 'aac', '-b:a', '96k']],
  ['Opus in Ogg', 'ogg', ['-c:a', 'libopus', '-b:a', '48k']],
  ['Vorbis in Ogg', 'ogg', ['-c:a', 'libvorbis', '-b:a', '96k']],
  ['FLAC', 'flac', ['-c:a', 'flac']],
  ['PCM of 24 bits in WAV', 'wav', ['-c:a', 'pcm_s24le']],
  ['an odd number of bytes in WAV', 'wav', ['-c:a', 'pcm_u8', '-ac', '1', '-af', 'atrim=end_sample=480001']],
];

/** Few readers support it. */
export const oggFlac: (typeof taggedKinds)[number] = ['FLAC in Ogg', 'ogg', ['-c:a', 'flac']];

/** Makes `music.wav` in the folder, and tags of all kinds for files of its length. */
export async function prepareTags(folder: string): Promise<FileTags> {
  await makeMedia(folder, 'music.wav', '-i', musicOgg, '-t', '12', '-c:a', 'pcm_s24le');
  const cover = await makeMedia(folder, 'cover.jpg', '-f', 'lavfi', '-i', 'testsrc=s=1400x1400', '-frames:v', '1');
  return {
    metadata: new Map([
      ['title', 'Tïtel 🎧 & “mehr”'],
      ['artist', 'Wir & Ihr'],
      ['album', 'Ein Album'],
      ['date', '2026-11-22'],
      ['track', '3/12'],
      ['genre', 'Podcast'],
      ['comment', 'Zwei\nZeilen'],
      ['SHOW ID', 'höher = 7'],
    ]),
    chapters: [
      { startMs: 0, endMs: 3500, title: 'Begrüßung', url: 'https://media.test/a' },
      // ffmpeg would write it a second late in Ogg.
      { startMs: 3500, endMs: 8999, title: '第二章', url: undefined },
      { startMs: 8999, endMs: 12_000, title: 'Ende 🎉', url: undefined },
    ],
    cover: { mimeType: 'image/jpeg', width: 1400, height: 1400, bytes: await readFile(cover) },
  };
}

/** A file as ffmpeg writes it, and the same file with tags. */
export async function makeTaggedPair(
  folder: string,
  container: ContainerName,
  encoding: readonly string[],
  given: FileTags,
  name = 'file',
): Promise<{ plain: string; tagged: string }> {
  const { muxer, muxerOptions } = containers[container];
  const plain = await makeMedia(
    folder,
    `${name}-plain.${container}`,
    ...['-i', join(folder, 'music.wav'), '-map_metadata', '-1', ...encoding],
    ...['-f', muxer, ...muxerOptions],
  );
  const tagged = join(folder, `${name}-tagged.${container}`);
  await copyFile(plain, tagged);
  await tagFile(container, tagged, given, () => {});
  return { plain, tagged };
}
