import { expect, test } from 'vitest';
import { parsePacketSpan } from '../../../engine/ffmpeg/packet-span.ts';

test('spans pictures and sound, and nothing else', () => {
  const lines = [
    'program,stream,0,video',
    'stream,1,audio,48000,2',
    'stream,0,video',
    'stream,1,audio,48000,2',
    'packet,video,0,3600,3600',
    'packet,audio,1,1800,1920',
    'packet,subtitle,2,90000,9000',
    'packet,video,0,0,3600',
    '',
  ].join('\n');
  expect(parsePacketSpan(lines)).toEqual({ start: 0, end: 7200, sounds: ['48000 2'] });
});

test('lets a last picture of unknown duration last as long as the others', () => {
  expect(
    parsePacketSpan(['packet,video,0,0,N/A', 'packet,video,0,100,N/A', 'packet,video,0,200,N/A'].join('\n')),
  ).toEqual({
    start: 0,
    end: 300,
    sounds: [],
  });
});

test('finds no span without packets that have times', () => {
  expect(parsePacketSpan('packet,video,0,N/A,3600\n')).toBeUndefined();
});

test('shortens a last packet of uncompressed sound that has fewer bytes', () => {
  const lines = ['packet,audio,1,0,N/A,800', 'packet,audio,1,100,N/A,800', 'packet,audio,1,200,N/A,200'].join('\n');
  expect(parsePacketSpan(lines)).toMatchObject({ start: 0, end: 225 });
});
