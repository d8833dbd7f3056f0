/**
 * Segments that cannot be made or joined as planned. A single run follows and the job does not fail, so this is not a
 * MediaError.
 */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}
