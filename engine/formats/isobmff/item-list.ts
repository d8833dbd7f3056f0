import { figures } from '../figures.ts';
import { utf8Within, type FileTags, type Picture, type TaggedChapter } from '../tags/file-tags.ts';
import { parsePosition, tagNames } from '../tags/tag-names.ts';
import { buildBox } from './box.ts';

/** "Well-known types" of iTunes' items (QuickTime File Format, "Metadata value atom"). */
const valueTypes = { binary: 0, utf8: 1, jpeg: 13, png: 14, integer: 21 } as const;

function data(type: number, value: Buffer): Buffer {
  // The second number is a locale; 0 is any.
  return buildBox('data', Buffer.concat([figures([type, 0]), value]));
}

/** A custom item: its owner, name and value. */
function freeForm(name: string, value: Buffer): Buffer {
  const text = (type: string, content: string): Buffer =>
    buildBox(type, Buffer.concat([figures([0]), Buffer.from(content, 'utf8')]));
  return buildBox('----', Buffer.concat([text('mean', 'com.apple.iTunes'), text('name', name), value]));
}

/** Undefined for a text that the item cannot hold. */
function numberData(text: string, bytes: number): Buffer | undefined {
  const position = parsePosition(text);
  if (position === undefined) return undefined;
  const { number, of } = position;
  if (bytes === 8) return data(valueTypes.binary, figures([number, of * 2 ** 16]));
  const fits = of === 0 && number < 2 ** (bytes * 8 - 1);
  return fits ? data(valueTypes.integer, figures([number]).subarray(-bytes)) : undefined;
}

function item(name: string, text: string): Buffer {
  const { mp4, mp4Bytes } = tagNames.get(name) ?? {};
  const utf8 = data(valueTypes.utf8, Buffer.from(text, 'utf8'));
  const value = mp4Bytes === undefined ? utf8 : numberData(text, mp4Bytes);
  if (mp4 !== undefined && value !== undefined) return buildBox(mp4, value);
  return freeForm(tagNames.has(name) ? name.toUpperCase() : name, utf8);
}

function coverItem({ mimeType, bytes }: Picture): Buffer {
  return buildBox('covr', data(mimeType === 'image/png' ? valueTypes.png : valueTypes.jpeg, bytes));
}

/** iTunes metadata list, laid out as in libavformat's movenc.c. */
function buildMeta({ metadata, cover }: FileTags): Buffer {
  const handler = Buffer.concat([figures([0, 0]), Buffer.from('mdirappl', 'latin1'), figures([0, 0]), Buffer.of(0)]);
  const items = [...metadata].map(([name, text]) => item(name, text));
  if (cover !== undefined) items.push(coverItem(cover));
  return buildBox(
    'meta',
    Buffer.concat([figures([0]), buildBox('hdlr', handler), buildBox('ilst', Buffer.concat(items))]),
  );
}

/** Nero's list counts chapters, and the bytes of a title, with one byte. */
const maxListedChapters = 255;
const maxTitleBytes = 255;

/** Nero's times are in units of 100 ns. */
const unitsPerMs = 10_000n;

function buildChapterList(chapters: readonly TaggedChapter[]): Buffer {
  const listed = chapters.slice(0, maxListedChapters);
  const entries = listed.map(({ startMs, title }) => {
    const text = utf8Within(title, maxTitleBytes);
    const entry = Buffer.alloc(9);
    entry.writeBigUInt64BE(BigInt(startMs) * unitsPerMs);
    entry[8] = text.length;
    return Buffer.concat([entry, text]);
  });
  const version1 = 0x01_00_00_00;
  return buildBox('chpl', Buffer.concat([figures([version1, 0]), Buffer.of(listed.length), ...entries]));
}

export function buildUserData(tags: FileTags): Buffer {
  const chapters = tags.chapters.length === 0 ? [] : [buildChapterList(tags.chapters)];
  return buildBox('udta', Buffer.concat([buildMeta(tags), ...chapters]));
}
