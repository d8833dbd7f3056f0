import { id3v2Size } from './mp3/id3v2.ts';
import { WindowedFile } from './windowed-file.ts';

/** Headers and the last page of an Ogg file are much smaller. */
const endBytes = 128 * 1024;

export interface FileEnds {
  /** Starts after the ID3v2 tag, which can be longer than the bytes read if it holds lyrics or a picture. */
  head: Buffer;
  tail: Buffer;
}

/** The first and the last bytes of a file of any size. */
export async function readFileEnds(path: string): Promise<FileEnds> {
  const read = async (file: WindowedFile): Promise<FileEnds> => {
    const tagSize = id3v2Size(await file.read(0, endBytes));
    return {
      head: Buffer.from(await file.read(tagSize, endBytes)),
      tail: Buffer.from(await file.read(Math.max(0, file.size - endBytes), endBytes)),
    };
  };
  return await WindowedFile.use(path, read, endBytes);
}
