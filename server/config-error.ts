/** A bad setting; the message names the variable. The process exits with it. */
export class ServerConfigError extends Error {
  override readonly name = 'ServerConfigError';
}
