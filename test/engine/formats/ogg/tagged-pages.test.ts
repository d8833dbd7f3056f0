import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { FileTags } from '../../../../engine/formats/tags/file-tags.ts';
import { makeTaggedPair, oggFlac, prepareTags, taggedKinds } from '../tags/tagged-files.ts';
import { useFolder } from '../../../support/folder.ts';

const folder = useFolder();

const tags = await prepareTags(folder);

interface PageFacts {
  isContinued: boolean;
  isFirst: boolean;
  isLast: boolean;
  granule: bigint;
  serial: number;
  sequence: number;
  /** Number of packets that end on the page. */
  ends: number;
  /** The last packet continues on the next page. */
  isOpen: boolean;
  isSumRight: boolean;
}

/** RFC 3533, 6: the polynomial 0x04c11db7 over the page with a zero checksum, bit by bit. */
function sumOf(page: Buffer): number {
  let sum = 0;
  for (const [index, byte] of page.entries()) {
    sum ^= (index >= 22 && index < 26 ? 0 : byte) << 24;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum << 1) ^ (sum < 0 ? 0x04c11db7 : 0);
  }
  return sum >>> 0;
}

/** All pages of a file, parsed by RFC 3533. */
function pagesOf(file: Buffer): PageFacts[] {
  const pages: PageFacts[] = [];
  for (let at = 0; at < file.length;) {
    expect(file.toString('latin1', at, at + 4)).toBe('OggS');
    const lacing = [...file.subarray(at + 27, at + 27 + (file[at + 26] ?? 0))];
    const size = 27 + lacing.length + lacing.reduce((sum, one) => sum + one, 0);
    const page = file.subarray(at, at + size);
    const flags = page[5] ?? 0;
    pages.push({
      ...{ isContinued: (flags & 1) !== 0, isFirst: (flags & 2) !== 0, isLast: (flags & 4) !== 0 },
      ...{ granule: page.readBigInt64LE(6), serial: page.readUInt32LE(14), sequence: page.readUInt32LE(18) },
      ends: lacing.filter((one) => one < 255).length,
      isOpen: lacing.at(-1) === 255,
      isSumRight: sumOf(page) === page.readUInt32LE(22),
    });
    at += size;
  }
  return pages;
}

/** Header packets, which precede any sound (RFC 7845, 3; Vorbis I, A.2; in FLAC's mapping: all of them). */
const headerPackets: Record<string, number> = { 'Opus in Ogg': 2, 'Vorbis in Ogg': 3 };

test.each([...taggedKinds.filter(([, container]) => container === 'ogg'), oggFlac])(
  'a picture of one megabyte in %s is laid out in valid pages, and the sound keeps its times',
  async (name, container, encoding) => {
    const bytes = Buffer.alloc(1024 ** 2, 'picture');
    const large: FileTags = { ...tags, cover: { mimeType: 'image/jpeg', width: 1400, height: 1400, bytes } };
    const pair = await makeTaggedPair(folder, container, encoding, large);
    const [plain, tagged] = [pagesOf(await readFile(pair.plain)), pagesOf(await readFile(pair.tagged))];
    expect(tagged.length).toBeGreaterThan(plain.length + 20);
    expect(tagged.filter(({ isSumRight }) => !isSumRight)).toEqual([]);
    expect(tagged.map(({ sequence }) => sequence)).toEqual(tagged.map((_, index) => index));
    expect(new Set(tagged.map(({ serial }) => serial))).toEqual(new Set([plain[0]?.serial]));
    expect(tagged.flatMap(({ isFirst }, index) => (isFirst ? [index] : []))).toEqual([0]);
    expect(tagged.flatMap(({ isLast }, index) => (isLast ? [index] : []))).toEqual([tagged.length - 1]);
    // A packet that continues is marked on both pages.
    for (const [index, page] of tagged.entries()) expect(page.isContinued).toBe(tagged[index - 1]?.isOpen ?? false);
    const sounds = (pages: readonly PageFacts[]) => pages.filter(({ granule }) => granule > 0n);
    expect(sounds(tagged).map(({ granule, ends }) => [granule, ends])).toEqual(
      sounds(plain).map(({ granule, ends }) => [granule, ends]),
    );
    const headers = tagged.slice(0, tagged.length - sounds(tagged).length);
    // A page on which no packet ends has no position.
    for (const { granule, ends } of headers) expect(granule).toBe(ends === 0 ? -1n : 0n);
    const headerCount = headers.reduce((sum, { ends }) => sum + ends, 0);
    if (headerPackets[name] !== undefined) expect(headerCount).toBe(headerPackets[name]);
    // The sound starts on a page of its own.
    expect(headers.at(-1)?.isOpen).toBe(false);
  },
);
