import { clusterId, readElement, segmentId } from '../../engine/formats/matroska/element.ts';

const simpleBlockId = 0xa3;
const blockGroupId = 0xa0;
const timestampId = 0xe7;
/** Largest number of frames that mkvmerge puts into one block. */
const framesPerBlock = 8;
/** Track number, time and flags of a block. */
const blockHeaderBytes = 4;
/** RFC 9559, 10.1: frames of a block with Xiph lacing. */
const xiphLacing = 0x02;

const unknownSize = Buffer.from('01ffffffffffffff', 'hex');

function elementsOf(bytes: Buffer): { id: number; whole: Buffer; body: Buffer }[] {
  const elements = [];
  for (let at = 0; at < bytes.length;) {
    const { id, headerSize, bodySize } = readElement(bytes.subarray(at)) ?? {};
    if (id === undefined || headerSize === undefined) throw new Error(`no element at ${at}`);
    const end = bodySize === undefined ? bytes.length : at + headerSize + bodySize;
    elements.push({ id, whole: bytes.subarray(at, end), body: bytes.subarray(at + headerSize, end) });
    at = end;
  }
  return elements;
}

function sizedElement(id: string, body: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE((1n << 56n) | BigInt(body.length));
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
}

function lacingOf(size: number): Buffer {
  return Buffer.from([...Array.from({ length: Math.floor(size / 255) }, () => 255), size % 255]);
}

function laceBlocks(blocks: readonly Buffer[]): Buffer {
  const [first = Buffer.alloc(0)] = blocks;
  const header = Buffer.from(first.subarray(0, blockHeaderBytes));
  header.writeUInt8(header.readUInt8(3) | xiphLacing, 3);
  const frames = blocks.map((block) => block.subarray(blockHeaderBytes));
  const sizes = frames.slice(0, -1).map(({ length }) => lacingOf(length));
  return sizedElement('a3', Buffer.concat([header, Buffer.from([frames.length - 1]), ...sizes, ...frames]));
}

/** A cue point of a block: time in milliseconds, and the place of its cluster in the segment. */
function cuePoint(time: number, place: number): Buffer {
  const number = (value: number): Buffer => Buffer.from(value.toString(16).padStart(12, '0'), 'hex');
  const positions = Buffer.concat([sizedElement('f7', Buffer.from([1])), sizedElement('f1', number(place))]);
  return sizedElement('bb', Buffer.concat([sizedElement('b3', number(time)), sizedElement('b7', positions)]));
}

/** A cluster with laced blocks, and the times of these blocks. */
function laceCluster(body: Buffer): { cluster: Buffer; times: number[] } {
  const children = elementsOf(body);
  const clusterTime = children.find(({ id }) => id === timestampId)?.body ?? Buffer.from([0]);
  const blocks = children.filter((child) => child.id === simpleBlockId).map((child) => child.body);
  const ofTime = children.filter((child) => child.id === timestampId).map((child) => child.whole);
  // The last frame states how much of it is not heard.
  const last = children.filter((child) => child.id === blockGroupId).map((child) => child.whole);
  const groups = Array.from({ length: Math.ceil(blocks.length / framesPerBlock) }, (_, index) =>
    blocks.slice(index * framesPerBlock, (index + 1) * framesPerBlock),
  );
  const times = groups.map(([first]) => clusterTime.readUIntBE(0, clusterTime.length) + (first?.readInt16BE(1) ?? 0));
  return { cluster: sizedElement('1f43b675', Buffer.concat([...ofTime, ...groups.map(laceBlocks), ...last])), times };
}

/** Puts up to eight frames into each block, as mkvmerge does. Only the first has a time. An index names each block. */
export function laced(file: Buffer): Buffer {
  const [header, segment] = elementsOf(file);
  if (header === undefined || segment?.id !== segmentId) throw new Error('not a Matroska file with one segment');
  const elements = elementsOf(segment.body);
  const heads = elements.filter(({ id }) => id !== clusterId).map(({ whole }) => whole);
  const clusters = elements.filter(({ id }) => id === clusterId).map(({ body }) => laceCluster(body));
  const indexFrom = (firstPlace: number): Buffer => {
    let place = firstPlace;
    const points = clusters.flatMap(({ cluster, times }) => {
      const ofCluster = times.map((time) => cuePoint(Math.max(0, time), place));
      place += cluster.length;
      return ofCluster;
    });
    return sizedElement('1c53bb6b', Buffer.concat(points));
  };
  const headBytes = heads.reduce((sum, { length }) => sum + length, 0);
  const index = indexFrom(headBytes + indexFrom(0).length);
  const body = [...heads, index, ...clusters.map(({ cluster }) => cluster)];
  return Buffer.concat([header.whole, Buffer.from('18538067', 'hex'), unknownSize, ...body]);
}
