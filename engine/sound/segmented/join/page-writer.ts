import type { OutputFile } from '../../../formats/output-file.ts';
import { buildPage, maxLacingValue, maxLacingValues } from '../../../formats/ogg/page.ts';
import type { PacketFile } from '../../../formats/ogg/packet-file.ts';
import { pageFlags } from '../../../formats/ogg/page-flags.ts';

const maxBodySize = maxLacingValues * maxLacingValue;

/** Lays out packets in pages as libavformat's oggenc.c does. */
export class PageWriter {
  readonly #output: OutputFile;
  readonly #serial: number;
  /** Samples of a second, after which a page is closed: the muxer's default. */
  readonly #pageSpan: number;
  #sequence: number;
  #lacing: number[] = [];
  #body: Buffer[] = [];
  #bodySize = 0;
  #flags = 0;
  /** -1 if no packet ends on the page. */
  #granulePosition = -1;
  #startGranule: number;
  /** The last page is held back because it carries the end-of-stream flag. */
  #lastPage: Parameters<typeof buildPage> | undefined;

  /** `sampleRate` is that of granule positions, and `primingSamples` come before the first position. */
  constructor(
    output: OutputFile,
    { serial, nextSequence }: Pick<PacketFile, 'serial' | 'nextSequence'>,
    { sampleRate, primingSamples = 0 }: { sampleRate: number; primingSamples?: number },
  ) {
    this.#output = output;
    this.#serial = serial;
    this.#sequence = nextSequence;
    this.#startGranule = -primingSamples;
    this.#pageSpan = sampleRate;
  }

  async append(packet: Buffer, granulePosition: number): Promise<void> {
    if (this.#bodySize > 0 && maxBodySize - this.#bodySize < packet.length) await this.#closePage();
    const lacingValues = Math.floor(packet.length / maxLacingValue) + 1;
    let rest = packet;
    for (let done = 0; done < lacingValues;) {
      const count = Math.min(lacingValues - done, maxLacingValues - this.#lacing.length);
      if (done > 0 && this.#lacing.length === 0) this.#flags |= pageFlags.continued;
      const piece = rest.subarray(0, count * maxLacingValue);
      for (let value = 1; value < count; value += 1) this.#lacing.push(maxLacingValue);
      this.#lacing.push(piece.length - (count - 1) * maxLacingValue);
      this.#body.push(Buffer.from(piece));
      this.#bodySize += piece.length;
      rest = rest.subarray(piece.length);
      done += count;
      if (done === lacingValues) this.#granulePosition = granulePosition;
      const isLongEnough = this.#granulePosition - this.#startGranule >= this.#pageSpan;
      if (this.#lacing.length === maxLacingValues || isLongEnough) await this.#closePage();
    }
  }

  async finish(): Promise<void> {
    if (this.#lacing.length > 0) await this.#closePage();
    if (this.#lastPage === undefined) return;
    const [header, body] = this.#lastPage;
    await this.#output.append(buildPage({ ...header, flags: header.flags | pageFlags.endOfStream }, body));
  }

  async #closePage(): Promise<void> {
    if (this.#lastPage !== undefined) await this.#output.append(buildPage(...this.#lastPage));
    const header = {
      flags: this.#flags,
      granulePosition: this.#granulePosition,
      serial: this.#serial,
      sequence: this.#sequence,
      lacing: Uint8Array.from(this.#lacing),
    };
    this.#lastPage = [header, Buffer.concat(this.#body)];
    this.#sequence += 1;
    this.#startGranule = this.#granulePosition;
    [this.#lacing, this.#body, this.#bodySize] = [[], [], 0];
    [this.#flags, this.#granulePosition] = [0, -1];
  }
}
