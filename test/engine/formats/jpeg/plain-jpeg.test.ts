import { expect, test } from 'vitest';
import { extractPlainJpeg } from '../../../../engine/formats/jpeg/plain-jpeg.ts';

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(' ', ''), 'hex');
const [start, jfif, scan, end] = ['ffd8', 'ffe00004 4a46', 'ffda0004 0102 aa ff00 bb ffd3 cc', 'ffd9'];
/** APP1 with one directory entry: a camera that was turned. */
const exif = (tiff: string): string =>
  `ffe1${(2 + 6 + hex(tiff).length).toString(16).padStart(4, '0')}457869660000${tiff}`;
const little = '49492a0008000000 0100 1201 0300 01000000 06000000';
const big = '4d4d002a00000008 0001 0112 0003 00000001 00080000';

test.each([
  ['a plain one', [start, jfif, scan, end], [start, jfif, scan, end], 1],
  ['one with Exif', [start, jfif, exif(little), scan, end], [start, jfif, scan, end], 6],
  ['one with Exif of another machine', [start, exif(big), scan, end], [start, scan, end], 8],
  ['one with a comment', [start, 'fffe0004 ffd9', scan, end], [start, scan, end], 1],
  ['one with a tail', [start, scan, end, '3c68746d6c3e ffd9'], [start, scan, end], 1],
  ['a progressive one', [start, scan, 'ffc40004 ffd9', scan, end], [start, scan, 'ffc40004 ffd9', scan, end], 1],
  ['one whose directory lies outside', [start, exif('49492a00ffffffff 0100'), scan, end], [start, scan, end], 1],
  ['one whose directory has no end', [start, exif('49492a0008000000 ffff'), scan, end], [start, scan, end], 1],
  [
    'one of an orientation that there is not',
    [start, exif(little.replace('06000000', '63000000')), scan, end],
    [start, scan, end],
    1,
  ],
])('the picture of %s is found', (_what, parts, picture, orientation) => {
  expect(extractPlainJpeg(hex(parts.join('')))).toEqual({ bytes: hex(picture.join('')), orientation });
});

test.each([
  '',
  'ffd8',
  'ffd8ffe0',
  'ffd8ffe00000',
  'ffd8ffe0ffff00',
  'ffd8ffda0004',
  '89504e470d0a',
  `${start}00${end}`,
  `${start}${scan}`,
])('no picture is found in %s', (bytes) => {
  expect(extractPlainJpeg(hex(bytes))).toBeUndefined();
});
