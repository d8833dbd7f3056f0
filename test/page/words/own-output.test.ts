import { expect, test } from 'vitest';
import { linesOf } from '../../../page/words/lines-of.ts';
import { fieldsInForm, isOutput, outputOf } from '../../../page/words/own-output.ts';

const film = {
  name: 'web',
  description: 'A film',
  container: 'mp4',
  video: { codec: 'h264' },
  audio: { codec: 'aac' },
};
const stream = { name: 'hls', package: ['hls', 'dash'], video: false, audio: [{ codec: 'aac' }, { codec: 'aac' }] };

test('custom settings keep every field of the preset that they start from', () => {
  expect(outputOf(film)).toEqual({ container: 'mp4', video: { codec: 'h264' }, audio: { codec: 'aac' } });
  expect(outputOf(stream)).toEqual({ package: stream.package, video: false, audio: stream.audio });
});

test('the form of a package has no container, and no form for a list of streams', () => {
  expect(fieldsInForm(film)).toEqual(expect.arrayContaining(['container', 'audio', 'video']));
  expect(fieldsInForm(stream)).not.toContain('container');
  expect(fieldsInForm(stream)).not.toContain('audio');
});

test('settings without a container and without a package are no output', () => {
  expect([film, stream, { audio: { codec: 'aac' } }].map(isOutput)).toEqual([true, true, false]);
});

test('each line of the field for URLs is one URL, also with spaces in it', () => {
  expect(linesOf(' https://a.example/one two.wav \r\n\nhttps://b.example/b.wav')).toEqual([
    'https://a.example/one two.wav',
    'https://b.example/b.wav',
  ]);
});
