/** Packets of a partial file are missing that its part of the film needs. The whole file has to be read. */
export class MissingPackets extends Error {
  override readonly name = 'MissingPackets';
}
