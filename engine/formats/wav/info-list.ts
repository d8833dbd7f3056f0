import { utf8Within, type TaggedChapter } from '../tags/file-tags.ts';
import { tagNames } from '../tags/tag-names.ts';
import { buildChunk, buildList, nullTerminated } from './chunk.ts';

/** Builds the INFO list ("Multimedia Programming Interface and Data Specifications 1.0", 2-14). */
export function buildInfoList(metadata: ReadonlyMap<string, string>): Buffer[] {
  const chunks = [...metadata].flatMap(([name, text]) => {
    const id = tagNames.get(name)?.riff;
    return id === undefined ? [] : [buildChunk(id, nullTerminated(Buffer.from(text, 'utf8')))];
  });
  return chunks.length === 0 ? [] : [buildList('INFO', chunks)];
}

const cuePointBytes = 24;
const maxLabelBytes = 1024;

/** Builds cue points, in samples, and labels for the chapters. */
export function buildCuePoints(chapters: readonly TaggedChapter[], sampleRate: number): Buffer[] {
  const points = chapters
    .map(({ startMs, title }, index) => ({ id: index + 1, sample: Math.round((startMs * sampleRate) / 1000), title }))
    // An offset has 32 bits.
    .filter(({ sample }) => sample < 2 ** 32);
  if (points.length === 0) return [];
  const body = Buffer.alloc(4 + points.length * cuePointBytes);
  body.writeUInt32LE(points.length);
  for (const [index, { id, sample }] of points.entries()) {
    const at = 4 + index * cuePointBytes;
    body.writeUInt32LE(id, at);
    body.writeUInt32LE(sample, at + 4);
    body.write('data', at + 8, 'latin1');
    body.writeUInt32LE(sample, at + 20);
  }
  const labels = points.map(({ id, title }) => {
    const idBytes = Buffer.alloc(4);
    idBytes.writeUInt32LE(id);
    return buildChunk('labl', Buffer.concat([idBytes, nullTerminated(utf8Within(title, maxLabelBytes))]));
  });
  return [buildChunk('cue ', body), buildList('adtl', labels)];
}
