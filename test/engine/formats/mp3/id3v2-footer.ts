import { id3v2Size } from '../../../../engine/formats/mp3/id3v2.ts';

/** Adds the footer that ID3v2.4 allows after a tag (structure, 3.4): the header under another name. */
export function addId3v2Footer(file: Buffer): Buffer {
  const tagSize = id3v2Size(file);
  const header = Buffer.from(file.subarray(0, 10));
  header[5] = 0x10;
  const footer = Buffer.from(header);
  footer.write('3DI', 'latin1');
  return Buffer.concat([header, file.subarray(10, tagSize), footer, file.subarray(tagSize)]);
}
