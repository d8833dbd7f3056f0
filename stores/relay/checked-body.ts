import { createHash } from 'node:crypto';
import { StorageError } from '../store-error.ts';

interface Expected {
  size: number;
  md5: string | undefined;
  /** Asked before the last bytes are passed on, because a sender may hold a body open for hours. */
  isWanted(): Promise<boolean>;
}

/** Passes a body on. Throws if it is not whole, or no longer wanted at its end. The store then keeps nothing of it. */
export async function* checkedBody(
  body: AsyncIterable<Uint8Array>,
  { size, md5, isWanted }: Expected,
): AsyncGenerator<Uint8Array> {
  const hash = md5 === undefined ? undefined : createHash('md5');
  let received = 0;
  for await (const part of body) {
    received += part.length;
    hash?.update(part);
    if (received >= size && !(await isWanted())) throw new StorageError('The run ended before its upload did', false);
    yield part;
  }
  if (received !== size) throw new StorageError(`The upload ended after ${received} of ${size} bytes`, true);
  if (hash !== undefined && hash.digest('base64') !== md5) {
    throw new StorageError('The bytes of the upload do not match its Content-MD5', true);
  }
}
