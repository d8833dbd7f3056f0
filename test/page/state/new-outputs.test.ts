import { expect, test } from 'vitest';
import { builtInPresets, type Presets } from '../../../contract/presets.ts';
import { newInput, newOutputs } from '../../../page/state/new-outputs.ts';

const named = (...names: string[]) => names.map((name) => ({ ...(builtInPresets as Presets)[name], name }));

test('several outputs of one kind of file have names of their own', () => {
  const presets = [
    ...named('web-h264-1080', 'web-h264-480', 'hls-h264', 'hls-hevc', 'podcast-mp3-mono'),
    { name: 'own My film', container: 'mp4', video: { codec: 'h264' } },
  ];
  const outputs = newOutputs({ presets, extras: {} }, 'Trip/to: sea.mov', 1);
  expect(outputs.map(({ uploadUrl, uploadUrlPrefix }) => uploadUrl ?? uploadUrlPrefix)).toEqual([
    'result:Trip-to: sea.mp4',
    'result:Trip-to: sea.web-h264-480.mp4',
    'result:Trip-to: sea/',
    'result:Trip-to: sea.hls-hevc/',
    'result:Trip-to: sea.mp3',
    'result:Trip-to: sea.own My film.mp4',
    // Pictures for the page fill the rest of the eight outputs.
    'result:Trip-to: sea.poster.jpg',
    'result:Trip-to: sea.storyboard/',
  ]);
  expect(outputs[5]).toEqual({ container: 'mp4', video: { codec: 'h264' }, uploadUrl: outputs[5]?.uploadUrl });
});

test('a trimmed sound has a waveform of its part, and a trimmed film has no storyboard', () => {
  const trim = { start: 1, end: 3 };
  const sound = newOutputs({ presets: named('archive-flac'), extras: { trim } }, 'a.wav', 1);
  expect(sound.map((output) => output.trim)).toEqual([trim, trim, trim]);
  const film = newOutputs({ presets: named('proxy-360'), extras: { trim } }, 'a.mp4', 1);
  expect(film.map(({ preset, image }) => preset ?? image)).toEqual(['proxy-360', 'poster']);
});

test('captions of a film have their transcript beside it, and sound alone has neither', () => {
  const extras = { captions: true as const };
  const film = newInput({ presets: named('proxy-360', 'podcast-opus'), extras }, 'Trip/to: sea.mov', 1);
  expect(film.transcript).toEqual({ uploadUrlPrefix: 'result:Trip-to: sea.transcript/' });
  expect(film.outputs.slice(0, 2)).toMatchObject([{ captions: true }, { preset: 'podcast-opus' }]);
  expect(film.outputs.filter(({ captions }) => captions !== undefined)).toHaveLength(1);
  expect(newInput({ presets: named('podcast-opus'), extras }, 'a.mp4', 1)).not.toHaveProperty('transcript');
});
