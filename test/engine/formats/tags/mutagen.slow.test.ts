import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { testFolder } from '../../../support/folder.ts';
import { projectRoot } from '../../../support/project-files.ts';
import { toolPath } from '../../../support/tools.ts';
import { makeTaggedPair, oggFlac, prepareTags, taggedKinds } from './tagged-files.ts';

const python = await toolPath('MUTAGEN_PYTHON');
const script = `${projectRoot}test/engine/formats/tags/read-by-mutagen.py`;

interface Found {
  seconds: number;
  plainSeconds: number;
  chapters: [number, string][];
}

test('mutagen reads the tags, chapters and cover of every kind of file, and finds the same length as without them', async () => {
  const folder = testFolder();
  const tags = await prepareTags(folder);
  const kinds = [...taggedKinds, oggFlac];
  const files: string[] = [];
  for (const [index, [, container, encoding]] of kinds.entries()) {
    files.push((await makeTaggedPair(folder, container, encoding, tags, String(index))).tagged);
  }
  const { stdout } = await promisify(execFile)(python, [script, ...files]);
  const found = JSON.parse(stdout) as Found[];

  const chapters = [
    [0, 'Begrüßung'],
    [3.5, '第二章'],
    [8.999, 'Ende 🎉'],
  ];
  const sha256 = createHash('sha256')
    .update(tags.cover?.bytes ?? '')
    .digest('hex');
  for (const [index, [name, container]] of kinds.entries()) {
    expect({ name, ...found[index] }).toMatchObject({
      ...{ name, title: 'Tïtel 🎧 & “mehr”', artist: 'Wir & Ihr', album: 'Ein Album', date: '2026-11-22' },
      ...{ track: '3/12', genre: 'Podcast', comment: 'Zwei\nZeilen', custom: 'höher = 7' },
      picture: [{ mimeType: 'image/jpeg', sha256 }],
      // The reader does not support the cue points of WAV.
      chapters: container === 'wav' ? [] : chapters,
      ...(container === 'mp3' && { contents: [['chapter0', 'chapter1', 'chapter2']] }),
      seconds: found[index]?.plainSeconds,
    });
  }
});
