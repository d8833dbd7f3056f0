/** Segments that cannot be made or joined as planned. Then the single run is taken; the job does not fail, so this is no MediaError. */
export class CannotJoin extends Error {
  override readonly name = 'CannotJoin';
}
