import { expect, test } from 'vitest';
import { crc16 } from '../../../../engine/formats/mp3/crc16.ts';

test('the checksum of 123456789 matches the published table', () => {
  expect(crc16(0, Buffer.from('123456789'))).toBe(0xbb3d);
});
