import { messageOf } from '../contract/unknown-values.ts';

/** A store could not be read or written. */
export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  /** Whether a retry may succeed. */
  readonly passing: boolean;

  constructor(message: string, passing: boolean, options?: ErrorOptions) {
    super(message, options);
    this.passing = passing;
  }
}

/** The file is missing or has unusable content. */
export class UnusableFile extends StorageError {
  override readonly name = 'UnusableFile';
  /** HTTP status by which a store reported it. */
  readonly status: number | undefined;

  constructor(message: string, { status, ...options }: ErrorOptions & { status?: number } = {}) {
    super(message, false, options);
    this.status = status;
  }
}

/** The store refuses the login, or Holdfast refuses the store: its key or its address. A person must change the settings. */
export class LoginFailed extends StorageError {
  override readonly name = 'LoginFailed';

  constructor(message: string, options?: ErrorOptions) {
    super(message, false, options);
  }
}

/** The range begins after the end of its file. */
export class RangeOutsideFile extends StorageError {
  override readonly name = 'RangeOutsideFile';
  readonly size: number | undefined;

  constructor(size: number | undefined) {
    super('The range begins after the end of the file', false);
    this.size = size;
  }
}

/** Some credential sources fail with the output of a command. */
const maxReasonChars = 300;

/**
 * The credential service is down, a token has expired, or no credentials are configured; the AWS SDK reports all three
 * by one error. Each can be repaired while a run waits, so the run retries them like a lost connection.
 */
export class CredentialsUnavailable extends StorageError {
  override readonly name = 'CredentialsUnavailable';

  constructor(cause: unknown, place = 'the store') {
    const [reason = ''] = messageOf(cause).split('\n');
    super(`There are no credentials for ${place}: ${reason.slice(0, maxReasonChars)}`, true, { cause });
  }
}
