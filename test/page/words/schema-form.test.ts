import { expect, test } from 'vitest';
import { formField, type Schema, valueAt, withValue } from '../../../page/words/schema-form.ts';
import { jsonSchema } from '../../../server/http/openapi-parts.ts';

const schemas = valueAt(jsonSchema('PresetsBody'), ['properties', 'presets', 'items', 'properties']) as Record<
  string,
  Schema
>;

const fieldOf = (name: string) => formField(name, schemas[name] ?? {});

test('the form has the fields of the request schema', () => {
  expect(fieldOf('container')).toMatchObject({ kind: 'text' });
  expect(fieldOf('level')).toEqual({ name: 'level', kind: 'choice', values: ['none', 'speech'] });
  expect(fieldOf('loudness')).toMatchObject({ kind: 'choice', values: expect.arrayContaining(['podcast']) });
  expect(fieldOf('silence')).toMatchObject({ kind: 'group', canBeLeftOut: false });
  expect(fieldOf('metadata')).toBeUndefined();
  const audio = fieldOf('audio');
  expect(audio).toMatchObject({ kind: 'group', canBeLeftOut: true });
  const inAudio = audio?.kind === 'group' ? audio.fields : [];
  expect(inAudio).toContainEqual({ name: 'bitrate', kind: 'number', isWhole: true, least: 1, most: 9999 });
  expect(inAudio).toContainEqual({ name: 'copy', kind: 'choice', values: [true, false] });
  const video = fieldOf('video');
  const inVideo = video?.kind === 'group' ? video.fields : [];
  expect(inVideo).toContainEqual({ name: 'deinterlace', kind: 'choice', values: [true, false, 'auto'] });
  expect(inVideo).toContainEqual({ name: 'rotate', kind: 'choice', values: [90, 180, 270] });
});

test('sets a value at its path, and removes it with groups left empty', () => {
  const one = withValue(undefined, ['audio', 'bitrate'], 96);
  expect(one).toEqual({ audio: { bitrate: 96 } });
  const two = withValue(one, ['container'], 'mp3');
  expect(two).toEqual({ audio: { bitrate: 96 }, container: 'mp3' });
  expect(withValue(two, ['audio', 'bitrate'], undefined)).toEqual({ container: 'mp3' });
  expect(withValue(two, ['audio'], false)).toEqual({ audio: false, container: 'mp3' });
  expect(withValue({ audio: false }, ['audio', 'codec'], 'mp3')).toEqual({ audio: { codec: 'mp3' } });
  expect(withValue({ container: 'mp3' }, ['container'], undefined)).toBeUndefined();
});
