import { expect, test } from 'vitest';
import { deliverySteps } from '../../../container/transfer/delivery-order.ts';

const file = (name: string, contentType: string) => ({ name, file: { contentType } });

test('delivers the list of chunks after the chunks', () => {
  const files = [file('list', 'application/json'), file('0', 'audio/ogg'), file('1', 'audio/ogg')];
  expect(deliverySteps(files).map((step) => step.map(({ name }) => name))).toEqual([['0', '1'], ['list']]);
});

test('delivers media side by side, then playlists and manifests, and the master playlist last', () => {
  const hls = 'application/vnd.apple.mpegurl';
  const files = [
    file('a/index.m3u8', hls),
    file('a/0.m4s', 'video/mp4'),
    file('b/index.m3u8', `${hls}; charset=utf-8`),
    file('b/0.m4s', 'video/mp4'),
    file('manifest.mpd', 'application/dash+xml'),
    file('master.m3u8', hls),
  ];
  expect(deliverySteps(files).map((step) => step.map(({ name }) => name))).toEqual([
    ['a/0.m4s', 'b/0.m4s'],
    ['a/index.m3u8'],
    ['b/index.m3u8'],
    ['manifest.mpd'],
    ['master.m3u8'],
  ]);
  expect(deliverySteps([file('', 'audio/wav')])).toHaveLength(1);
  expect(deliverySteps([file('master.m3u8', hls)])).toHaveLength(1);
});
