/** A setting that the worker cannot start with; the message is all that a person is shown. */
export class WorkerConfigError extends Error {
  override readonly name = 'WorkerConfigError';
}
