/** The part of the film needs packets that the partial file lacks. The job then reads the whole file. */
export class MissingPackets extends Error {
  override readonly name = 'MissingPackets';
}
