import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EncodeResult } from '../../../contract/http/encode.ts';
import { type Preset, PresetsBody } from '../../../contract/http/preset.ts';
import { builtInPresets } from '../../../contract/presets.ts';
import { TestContainer } from '../../support/container.ts';
import { speechWav } from '../../support/media.ts';
import { pcmDigest } from '../../support/media-files.ts';
import { startNode } from '../../support/process.ts';
import { useFolder } from '../../support/folder.ts';
import { stopAfterAll } from '../../support/stop-after-all.ts';

const folder = useFolder();

const house = { description: 'ours', container: 'mka', audio: { codec: 'pcm', bitDepth: 24, sampleRate: 16_000 } };

await writeFile(join(folder, 'presets.json'), JSON.stringify({ house }));
const container = await stopAfterAll(TestContainer.start({ PRESETS_FILE: join(folder, 'presets.json') }));
await copyFile(speechWav, join(container.mediaRoot, 'speech.wav'));

async function encode(...outputs: object[]) {
  return await container.call('POST', '/encode', {
    sourceUrl: container.fileUrl('speech.wav'),
    outputs: outputs.map((output, index) => ({ ...output, uploadUrl: container.fileUrl(`out/${index}`) })),
  });
}

test('lists all presets on GET /presets, custom ones too, with all their settings', async () => {
  const { status, body } = await container.call('GET', '/presets');
  expect(status).toBe(200);
  const { presets } = PresetsBody.parse(body);
  const byName = Object.fromEntries(presets.map(({ name, ...preset }) => [name, preset]));
  expect(byName).toEqual({ ...builtInPresets, house });
  expect((await container.call('GET', '/')).body.endpoints).toContain('GET /presets');
});

describe('outputs by presets', () => {
  test('makes by a preset the samples of the same format, and reports the name of the preset', async () => {
    const answer = await encode({ preset: 'speech-opus' }, { format: 'opus_24', channels: 1, sampleRate: 24_000 });
    expect(answer).toMatchObject({ status: 200 });
    const [byPreset, byFormat] = EncodeResult.parse(answer.body).outputs;
    expect(byPreset).toEqual({ ...byFormat, format: undefined, preset: 'speech-opus', sha256: byPreset?.sha256 });
    const [one, other] = ['out/0', 'out/1'].map((name) => join(container.mediaRoot, name));
    expect(await pcmDigest(one ?? '', 's16le')).toBe(await pcmDigest(other ?? '', 's16le'));
  });

  test('encodes every built-in audio preset with the figures that it sets', async () => {
    const all = Object.keys(builtInPresets) as (keyof typeof builtInPresets)[];
    const names = all.filter((name) => !('video' in builtInPresets[name]));
    const answer = await encode(...names.map((preset) => ({ preset })));
    expect(answer).toMatchObject({ status: 200 });
    for (const [index, output] of EncodeResult.parse(answer.body).outputs.entries()) {
      const preset = names[index] ?? 'speech-opus';
      const { container: file, audio }: Preset = builtInPresets[preset];
      const { codec, bitDepth: _, ...figures }: Record<string, unknown> = Array.isArray(audio) ? {} : { ...audio };
      expect(output).toMatchObject({ preset, container: file, ...figures });
      expect(output.streams).toMatchObject([{ kind: 'audio', codec: codec === 'pcm' ? 'pcm_s24le' : codec }]);
    }
  });

  test('lets fields beside a custom preset override it', async () => {
    const answer = await encode({ preset: 'house' }, { preset: 'house', container: 'wav', audio: { bitDepth: 16 } });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        outputs: [
          { preset: 'house', container: 'mka', sampleRate: 16_000, streams: [{ codec: 'pcm_s24le' }] },
          { preset: 'house', container: 'wav', sampleRate: 16_000, streams: [{ codec: 'pcm_s16le' }] },
        ],
      },
    });
  });

  test('rejects an unknown preset and lists the existing ones', async () => {
    expect(await encode({ preset: 'houses' })).toMatchObject({
      status: 422,
      body: { code: 'unsupported_format', details: { preset: 'houses' }, error: expect.stringContaining('house') },
    });
  });
});

test.each([
  [{}, ['outputs', 0, 'format']],
  [{ format: 'mp3_128', preset: 'podcast-aac' }, ['outputs', 0, 'preset']],
  [{ format: 'mp3_128', container: 'mp3' }, ['outputs', 0, 'container']],
  [{ format: 'wav', audio: { bitDepth: 24 } }, ['outputs', 0, 'audio']],
  [{ audio: { codec: 'mp3' } }, ['outputs', 0, 'format']],
  [{ container: 'wav', channels: 1, audio: { channels: 1 } }, ['outputs', 0, 'channels']],
  [{ preset: 'podcast-aac', captions: {} }, ['outputs', 0]],
  [{ container: 'mp4', video: { crf: 70 } }, ['outputs', 0, 'video', 'crf']],
  [{ container: 'wav', audio: { codec: 'pcm', pitch: 2 } }, ['outputs', 0, 'audio']],
  [{ container: 'wav', audio: { bitDepth: 20 } }, ['outputs', 0, 'audio', 'bitDepth']],
  [{ preset: '../x' }, ['outputs', 0, 'preset']],
])('rejects the output %j as invalid_request', async (output, issuePath) => {
  const answer = await encode(output);
  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  expect(answer.body.details.issues.map(({ path }: { path: unknown }) => path)).toContainEqual(issuePath);
});

test('refuses to start with an invalid preset file, and names file and field', async () => {
  const file = join(folder, 'wrong.json');
  await writeFile(file, JSON.stringify({ house: { ...house, audio: { codec: 'pcm', bitDepth: 20 } } }));
  const process = startNode('container/main.ts', { PORT: '0', PRESETS_FILE: file });
  expect((await process.exited).code).toBe(1);
  expect(process.output).toContain(
    `PRESETS_FILE is not valid: ${file} has a preset that is not valid: house.audio.bitDepth`,
  );
});
