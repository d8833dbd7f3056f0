import { WindowedFile } from './windowed-file.ts';

/**
 * Reads the bytes of one chunk header at `position`; fewer at the end of the file. They are valid until the next call.
 */
export type Peek = (position: number) => Promise<Buffer>;

/** No writer puts more chunks before the audio. */
export const maxChunkHeaders = 1000;

/** Headers are either adjacent or far apart, so a larger window seldom helps. */
const windowBytes = 4096;

/** Lets `read` walk the chunk headers of a file. `read` sees `headerBytes` at a time. */
export async function walkChunkHeaders<Result>(
  path: string,
  headerBytes: number,
  read: (peek: Peek, fileSize: number) => Promise<Result>,
): Promise<Result> {
  const walk = async (file: WindowedFile): Promise<Result> =>
    await read((position) => file.read(position, headerBytes), file.size);
  return await WindowedFile.use(path, walk, windowBytes);
}
