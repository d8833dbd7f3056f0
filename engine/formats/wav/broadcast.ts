import { buildChunk } from './chunk.ts';

/** Sample format of a WAV, from its `fmt ` chunk. */
export interface WavSamples {
  channels: number;
  /** Hz */
  sampleRate: number;
  bits: number;
}

/** TimeReference (64 bits), version, UMID, the loudness fields of version 2, and reserved bytes. */
const figuresBytes = 8 + 2 + 64 + 10 + 180;
const versionAt = 8;

/** EBU Tech 3285 allows ASCII only: letters lose their accents, other characters become question marks. */
function ascii(text: string, maxBytes: number): Buffer {
  const plain = text
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^ -~]/gu, '?');
  const field = Buffer.alloc(maxBytes);
  field.write(plain, 'latin1');
  return field;
}

/** Builds the chunk that makes a WAV a Broadcast Wave (EBU Tech 3285, 2.3). */
export function buildBext(metadata: ReadonlyMap<string, string>, samples: WavSamples): Buffer {
  const [, date = ''] = /^(\d{4}-\d{2}-\d{2})/.exec(metadata.get('date') ?? '') ?? [];
  // Description, originator, its reference, date and time.
  const fields = [
    ascii(metadata.get('description') ?? metadata.get('title') ?? '', 256),
    ascii(metadata.get('artist') ?? metadata.get('publisher') ?? metadata.get('encoded_by') ?? '', 32),
    ...[ascii('', 32), ascii(date, 10), ascii('', 8)],
  ];
  const figures = Buffer.alloc(figuresBytes);
  // Version 1 has no loudness fields.
  figures.writeUInt16LE(1, versionAt);
  return buildChunk('bext', Buffer.concat([...fields, figures, Buffer.from(codingHistory(samples), 'latin1')]));
}

/** EBU R 98 */
function codingHistory({ channels, sampleRate, bits }: WavSamples): string {
  const mode = { 1: ',M=mono', 2: ',M=stereo' }[channels] ?? '';
  return `A=PCM,F=${sampleRate},W=${bits}${mode},T=Holdfast\r\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' };

function element(name: string, text: string | undefined): string {
  if (text === undefined) return '';
  return `<${name}>${text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '')}</${name}>`;
}

/** iXML 3.01 (ixml.info): its general fields, and those of the ASWG for finished works. */
export function buildIxml(metadata: ReadonlyMap<string, string>): Buffer {
  const get = (name: string): string | undefined => metadata.get(name);
  const works = [
    element('songTitle', get('title')),
    element('artist', get('artist')),
    element('composer', get('composer')),
    element('genre', get('genre')),
    element('language', get('language')),
  ].join('');
  const document = [
    '<?xml version="1.0" encoding="UTF-8"?>\n<BWFXML>',
    element('IXML_VERSION', '3.01'),
    element('PROJECT', get('album') ?? get('title')),
    element('SCENE', get('title')),
    element('NOTE', get('comment') ?? get('description')),
    `<ASWG>${works}</ASWG>`,
    '</BWFXML>\n',
  ];
  return buildChunk('iXML', Buffer.from(document.join(''), 'utf8'));
}
