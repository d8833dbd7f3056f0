/** The parts that the tests use of imscJS, the reader of the authors of IMSC. Its other parts need a browser. */
declare module 'imsc/src/main/js/doc.js' {
  interface Document {
    getMediaTimeEvents(): number[];
  }
  type Complain = (text: string) => boolean;
  export function fromXML(
    xml: string,
    handler: { info: Complain; warn: Complain; error: Complain; fatal: Complain },
  ): Document;
}

declare module 'imsc/src/main/js/isd.js' {
  interface Element {
    kind: string;
    text?: string;
    contents?: Element[];
  }
  export function generateISD(document: object, seconds: number): Element;
}

/** The package's own types name modules without their extension, which nodenext does not resolve. */
declare module 'media-captions' {
  export function parseText(
    text: string,
    options: { type: 'vtt' | 'srt'; strict: boolean; errors: boolean },
  ): Promise<{ cues: { startTime: number; endTime: number; text: string }[]; errors: Error[] }>;
}
