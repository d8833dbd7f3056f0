import { describe, expect, test } from 'vitest';
import { builtInPresets } from '../../contract/presets.ts';
import { PresetsFileError, withOwnPresets } from '../../contract/presets-file.ts';

const presetsOf = (text: string) => withOwnPresets('/etc/presets.json', () => text);

test('returns the built-in presets if there is no file', () => {
  expect(withOwnPresets(undefined, () => '')).toEqual(builtInPresets);
});

test('a file adds its presets to the built-in ones', () => {
  const own = { description: 'ours', container: 'ogg', audio: { codec: 'vorbis', quality: 4 } };
  expect(presetsOf(JSON.stringify({ house: own }))).toEqual({ ...builtInPresets, house: own });
});

test('a file may begin with a byte order mark, as some editors write it', () => {
  expect(presetsOf('\uFEFF{}')).toEqual(builtInPresets);
});

describe('a file that is wrong is refused by a sentence with its name and the field', () => {
  const m4a = { container: 'm4a', audio: { codec: 'aac', bitrate: 96 } };
  test.each<[unknown, RegExp]>([
    [{ house: { ...m4a, audio: { bitrate: 'many' } } }, /house\.audio\.bitrate: /],
    [{ house: { ...m4a, audio: { bitrat: 96 } } }, /house\.audio: .*bitrat/],
    [{ house: { ...m4a, tempo: 2 } }, /house: .*tempo/],
    [{ house: { audio: m4a.audio } }, /house\.container: /],
    [{ 'House!': m4a }, /House!: must be the name of a preset/],
    [{ 'speech-opus': m4a }, /names speech-opus, which is a preset of Holdfast/],
    [
      { house: { container: 'm4a', audio: { codec: 'opus', bitrate: 64 } } },
      /The output house cannot be made: m4a files hold/,
    ],
    [{ house: { container: 'm4a' } }, /The output house cannot be made: aac needs a bitrate/],
    [[], /expected record/],
  ])('refuses the presets %j', (json, sentence) => {
    const read = () => presetsOf(JSON.stringify(json));
    expect(read).toThrow(PresetsFileError);
    expect(read).toThrow(/^\/etc\/presets\.json /);
    expect(read).toThrow(sentence);
  });

  test('refuses a file that is missing or is not JSON', () => {
    expect(() => presetsOf('{"house": ')).toThrow(/^\/etc\/presets\.json is not JSON: /);
    const missing = () => {
      throw new Error('ENOENT: no such file or directory');
    };
    expect(() => withOwnPresets('/etc/presets.json', missing)).toThrow(/^\/etc\/presets\.json cannot be read: ENOENT/);
  });

  test('names the first five problems of a file, each in one line', () => {
    const presets = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`k${index}${'K'.repeat(999)}`, {}]),
    );
    expect(() => presetsOf(JSON.stringify(presets))).toThrow(/^.{1000,2000}$/s);
  });
});
