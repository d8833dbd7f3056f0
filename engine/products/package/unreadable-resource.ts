/** A file of a package that is missing or cannot be read. Its message is the rest of a sentence whose subject is the file. */
export class UnreadableResource extends Error {
  override readonly name = 'UnreadableResource';
}
