/** A file that is not as its reader here knows the format. What follows is the caller's to decide, so it is no MediaError. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}
