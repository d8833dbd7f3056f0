import { expect, test } from 'vitest';
import { parseFirstPicture } from '../../../../engine/source/pictures/first-picture.ts';

test('a picture is turned if it states so itself, and not if only the file does', () => {
  const stating = [{ side_data_list: [{ side_data_type: '3x3 displaymatrix', rotation: 90 }] }];
  expect(parseFirstPicture(JSON.stringify({ frames: stating }))).toEqual({ isTurned: true });
  expect(parseFirstPicture(JSON.stringify({ frames: [{}], streams: stating }))).toEqual({});
});

test('a picture is in HLG if its own transfer says so', () => {
  const parsed = (transfer: string) => parseFirstPicture(JSON.stringify({ frames: [{ color_transfer: transfer }] }));
  expect(parsed('arib-std-b67')).toEqual({ isHlg: true });
  expect(parsed('bt2020-10')).toEqual({});
});

test('a picture has closed captions if they are among its side data', () => {
  const parsed = (type: string) =>
    parseFirstPicture(JSON.stringify({ frames: [{ side_data_list: [{ side_data_type: type }] }] }));
  expect(parsed('ATSC A53 Part 4 Closed Captions')).toEqual({ hasCaptions: true });
  expect(parsed('GOP timecode')).toEqual({});
});
