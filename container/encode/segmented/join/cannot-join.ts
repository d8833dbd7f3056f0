/**
 * Something that a stitcher does not recognise, or will not answer for: the job takes the single run. Never a
 * failure of the job, so it is no HoldfastError.
 */
export class NotStitchable extends Error {
  override readonly name = 'NotStitchable';
}
