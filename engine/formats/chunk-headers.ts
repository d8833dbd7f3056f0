import { WindowedFile } from './windowed-file.ts';

/** Reads as many bytes at `position` as a chunk's header takes; fewer at the end of the file. They are valid until the next call. */
export type Peek = (position: number) => Promise<Buffer>;

/** More chunks before the audio than any writer makes. */
export const maxChunkHeaders = 1000;

/** Headers are close together or far apart: more than this is seldom worth reading at once. */
const windowBytes = 4096;

/** Lets `read` walk over the chunk headers of a file, of which it sees `headerBytes` at a time. */
export async function walkChunkHeaders<Result>(
  path: string,
  headerBytes: number,
  read: (peek: Peek, fileSize: number) => Promise<Result>,
): Promise<Result> {
  const walk = async (file: WindowedFile): Promise<Result> =>
    await read((position) => file.read(position, headerBytes), file.size);
  return await WindowedFile.use(path, walk, windowBytes);
}
