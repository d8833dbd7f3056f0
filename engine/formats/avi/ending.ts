import { type Ending, maxElements } from '../ending.ts';
import { WindowedFile } from '../windowed-file.ts';

/** `RIFF` or `LIST`, its size, its type, and the part of the content that is read: a whole stream header. */
const headerBytes = 12 + 8 + 56;

/** Length that ffmpeg writes for every stream if it cannot seek back to the header (AVI_MAX_RIFF_SIZE). */
const placeholderLength = 0x40_00_00_00;

/** AVIF_HASINDEX of the main header. */
const hasIndexFlag = 0x10;

/** Seconds of a stream according to its header (AVISTREAMHEADER). Its length is in units of scale / rate. */
function streamSeconds(header: Buffer): number | undefined {
  const [scale, rate, length] = [header.readUInt32LE(20), header.readUInt32LE(24), header.readUInt32LE(32)];
  if (scale === 0 || rate === 0 || length === 0 || length === placeholderLength) return undefined;
  return (length * scale) / rate;
}

/**
 * Walks the chunks of all RIFFs of the file. OpenDML has several, of up to 1 GiB each; all but the first have the type
 * `AVIX`.
 */
async function findEnding(file: WindowedFile): Promise<Ending> {
  let declaredSeconds: number | 'none' | undefined;
  let isIndexed = false;
  let hasIndex = false;
  let isUndeclared = false;
  let isShort = false;
  const ending = (kind: Ending['kind']): Ending => ({
    kind,
    declaredSeconds: kind === 'whole' ? 'none' : (declaredSeconds ?? 'none'),
  });
  for (let at = 0, chunks = 0; at < file.size && chunks < maxElements; chunks += 1) {
    const chunk = await file.read(at, headerBytes);
    if (chunk.length < 8) return ending(hasIndex && !isShort ? 'whole' : 'cut');
    const id = chunk.toString('latin1', 0, 4);
    const size = chunk.readUInt32LE(4);
    const isList = id === 'RIFF' || id === 'LIST';
    const type = chunk.toString('latin1', 8, 12);
    // Junk after the last RIFF.
    if (!/^[ -~]{4}$/.test(id)) return ending(isShort ? 'cut' : hasIndex ? 'whole' : 'unknown');
    if (id === 'avih' && chunk.length >= 24) isIndexed = (chunk.readUInt32LE(8 + 12) & hasIndexFlag) !== 0;
    if (id === 'strh' && type === 'auds' && chunk.length >= 8 + 36)
      declaredSeconds ??= streamSeconds(chunk.subarray(8)) ?? 'none';
    if (id === 'idx1' || id.startsWith('ix')) hasIndex = true;
    if (size === 0xff_ff_ff_ff) isUndeclared = true;
    else if (at + 8 + size > file.size) isShort = true;
    // Lists with headers are entered. A list of media is skipped if its size is known.
    const isEntered = isList && (type !== 'movi' || size === 0xff_ff_ff_ff);
    at += isEntered ? 12 : 8 + size + (size % 2);
  }
  if (isShort || (isIndexed && !hasIndex)) return ending('cut');
  return ending(isUndeclared || declaredSeconds === undefined ? 'unknown' : 'whole');
}

export async function readAviEnding(path: string): Promise<Ending> {
  return await WindowedFile.use(path, findEnding);
}
