import { createHash } from 'node:crypto';
import { StorageError } from '../store-error.ts';

/** Passes a body on, and throws at its end if it is not whole. The store then keeps nothing of it. */
export async function* checkedBody(
  body: AsyncIterable<Uint8Array>,
  { size, md5 }: { size: number; md5: string | undefined },
): AsyncGenerator<Uint8Array> {
  const hash = md5 === undefined ? undefined : createHash('md5');
  let received = 0;
  for await (const part of body) {
    received += part.length;
    hash?.update(part);
    yield part;
  }
  if (received !== size) throw new StorageError(`The upload ended after ${received} of ${size} bytes`, true);
  if (hash !== undefined && hash.digest('base64') !== md5) {
    throw new StorageError('The bytes of the upload do not match its Content-MD5', true);
  }
}
