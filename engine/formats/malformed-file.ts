/** A file that its reader cannot parse. The caller decides what follows, so this is not a MediaError. */
export class MalformedFile extends Error {
  override readonly name = 'MalformedFile';
}
