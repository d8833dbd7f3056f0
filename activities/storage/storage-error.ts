/** A chunk that could not be read, or an answer that could not be written. */
export class StorageError extends Error {
  override readonly name = 'StorageError';
  /** Another try may help. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.passing = passing;
  }
}
