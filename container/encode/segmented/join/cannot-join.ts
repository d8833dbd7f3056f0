/**
 * Something that a stitcher does not recognise, or will not answer for: the job takes the single run. Never a
 * failure of the job, so it is no ServiceError.
 */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}
