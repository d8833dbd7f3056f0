/** A file that a reader here does not recognise or cannot vouch for. What that means is the caller's to decide, so it is no ServiceError. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}
