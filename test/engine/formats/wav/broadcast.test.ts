import { expect, test } from 'vitest';
import { buildBext } from '../../../../engine/formats/wav/broadcast.ts';

const samples = { channels: 2, sampleRate: 48_000, bits: 24 };

/** Fields of the chunk at their offsets in EBU Tech 3285. */
function fieldsOf(metadata: Record<string, string>): { originator: string; originationDate: string } {
  const chunk = buildBext(new Map(Object.entries(metadata)), samples).toString('latin1');
  const body = chunk.slice(8);
  const text = (from: number, bytes: number): string => body.slice(from, from + bytes).replaceAll('\0', '');
  return { originator: text(256, 32), originationDate: text(320, 10) };
}

test.each([
  ['who made it, in 32 letters of ASCII', { artist: `Zoë ${'x'.repeat(40)}` }, `Zoe ${'x'.repeat(28)}`],
  ['the publisher of what nobody is named for', { publisher: 'Us', encoded_by: 'Holdfast' }, 'Us'],
  ['what encoded it where nobody else is known', { encoded_by: 'Holdfast' }, 'Holdfast'],
])('the originator of a Broadcast Wave is %s', (_who, metadata, originator) => {
  expect(fieldsOf(metadata).originator).toBe(originator);
});

test('the date of a Broadcast Wave is the known day and nothing else', () => {
  expect(fieldsOf({ date: '2026-11-22T10:00' }).originationDate).toBe('2026-11-22');
  expect(fieldsOf({ date: '2026', encoded_by: 'Holdfast' }).originationDate).toBe('');
});
