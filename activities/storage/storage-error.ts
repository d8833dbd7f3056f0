/** Something could not be read from a store, or not be written to it. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  /** Another try may help. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.passing = passing;
  }
}

/** There is no file, or none that is of use. */
export class UnusableFile extends StorageError {
  override readonly name = 'UnusableFile';

  constructor(message: string, options?: ErrorOptions) {
    super(message, false, options);
  }
}

/** Some sources of credentials answer with the output of a command. */
const maxReasonChars = 300;

/**
 * Who we are could not be told: the service of credentials is away, a token has run out, none are configured. The AWS SDK has one
 * error for all of these, and each can be mended while a run waits, so all are tried again for as long as a connection is.
 */
export class CredentialsUnavailable extends StorageError {
  override readonly name = 'CredentialsUnavailable';

  constructor(cause: unknown, place = 'the store') {
    const [reason = ''] = (cause instanceof Error ? cause.message : String(cause)).split('\n');
    super(`The worker has no credentials for ${place}: ${reason.slice(0, maxReasonChars)}`, true, { cause });
  }
}
