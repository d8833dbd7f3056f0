import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { partGuards } from '../../../../engine/ffmpeg/guards.ts';
import { SourceFrames } from '../../../../engine/formats/mp3/source-frames.ts';
import { encoded, music, speech } from '../../sound/segmented/inputs.ts';
import { inFolder } from '../../sound/segmented/support.ts';
import { addId3v2Footer } from './id3v2-footer.ts';

const seconds = 30;

async function withFooter(path: string): Promise<string> {
  const changedPath = path.replace(/\.mp3$/, '-footer.mp3');
  await writeFile(changedPath, addId3v2Footer(await readFile(path)));
  return changedPath;
}

const files: Record<string, () => Promise<string>> = {
  VBR: async () => await encoded(await music({ seconds }), 'enter-vbr.mp3', ['-q:a', '3']),
  'CBR with ID3v1': async () =>
    await encoded(await music({ seconds }), 'enter-cbr.mp3', ['-write_id3v1', '1', '-metadata', 'title=Tagged']),
  'VBR, with a footer of its ID3v2 tag': async () =>
    await withFooter(await encoded(await music({ seconds }), 'enter-vbr.mp3', ['-q:a', '3'])),
  'without an Info frame': async () => await encoded(await music({ seconds }), 'enter-plain.mp3', ['-write_xing', '0']),
  'MPEG-2 at a low rate': async () =>
    await encoded(await speech({ seconds, sampleRate: 22_050 }), 'enter-mpeg2.mp3', ['-b:a', '16k']),
  'MPEG-2.5 at the lowest': async () =>
    await encoded(await speech({ seconds, sampleRate: 8000 }), 'enter-mpeg25.mp3', ['-b:a', '8k']),
};

/** 32-bit samples of all channels from ffmpeg's decoder. */
async function decoded(options: readonly string[], filters: readonly string[] = []): Promise<Buffer> {
  const filter = filters.length === 0 ? [] : ['-af', filters.join(',')];
  const { stdout } = await promisify(execFile)(
    'ffmpeg',
    ['-nostdin', '-v', 'error', ...options, ...filter, '-f', 'f32le', '-'],
    { encoding: 'buffer', maxBuffer: 1024 ** 3 },
  );
  return stdout;
}

test.each(Object.keys(files))('a part of an mp3 (%s) has exactly the samples of the whole', async (name) => {
  const path = (await files[name]?.()) ?? '';
  const frames = await SourceFrames.read(path);
  if (frames === undefined) throw new Error('decoding cannot begin within it');
  const whole = await decoded(['-i', path]);
  const sampleBytes = name.startsWith('MPEG-2') ? 4 : 8;
  for (const [start, end] of [
    [0.02, 0.05],
    [0.3, 0.5],
    [0.6, undefined],
  ] as const) {
    const total = whole.length / sampleBytes;
    const [from, to] = [Math.round(total * start), end === undefined ? undefined : Math.round(total * end)];
    const range = frames.range(from, to);
    const part = await decoded(
      [...partGuards('mp3', 'mp3float'), '-i', `subfile,,start,${range.from},end,${range.to},,:${path}`],
      [`atrim=start_sample=${range.startSample}:end_sample=${range.endSample}`],
    );
    const same = whole.subarray(from * sampleBytes, to === undefined ? whole.length : to * sampleBytes);
    expect(part.length).toBe(same.length);
    expect(part.equals(same)).toBe(true);
  }
});

describe('decoding never starts midway in a file with unknown bytes:', () => {
  const cases: Record<string, (file: Buffer) => Buffer> = {
    'bytes that are no frame': (file) =>
      Buffer.concat([file.subarray(0, 100_000), Buffer.alloc(10), file.subarray(100_000)]),
    'a last frame that is cut off': (file) => file.subarray(0, -50),
    'a tag at the end that is not ID3v1': (file) => Buffer.concat([file, Buffer.from('APETAGEX'), Buffer.alloc(24)]),
    'an Info frame that counts other frames': (file) => {
      const changed = Buffer.from(file);
      const at = changed.indexOf('Xing') + 8;
      changed.writeUInt32BE(changed.readUInt32BE(at) + 1, at);
      return changed;
    },
    'an Info frame of another encoder': (file) => {
      const changed = Buffer.from(file);
      changed.write('Fhgs', changed.indexOf('Xing') + 120, 'latin1');
      return changed;
    },
    'a VBRI header': (file) => {
      const changed = Buffer.from(file);
      changed.write('VBRI', changed.indexOf('Xing'), 'latin1');
      return changed;
    },
    'no mp3': () => Buffer.from('RIFF'),
    nothing: () => Buffer.alloc(0),
  };
  test.each(Object.keys(cases))('%s', async (name) => {
    const file = await readFile((await files['VBR']?.()) ?? '');
    await inFolder(async (folder) => {
      const path = join(folder, 'changed.mp3');
      await writeFile(path, cases[name]?.(file) ?? '');
      expect(await SourceFrames.read(path)).toBeUndefined();
    });
  });

  test('frames of two kinds in sequence', async () => {
    const bare = ['-write_xing', '0', '-id3v2_version', '0'];
    const stereo = await encoded(await music({ seconds }), 'enter-bare.mp3', bare);
    const mono = await encoded(await speech({ seconds }), 'enter-bare-mono.mp3', bare);
    await inFolder(async (folder) => {
      const path = join(folder, 'joined.mp3');
      await writeFile(path, Buffer.concat([await readFile(stereo), await readFile(mono)]));
      expect(await SourceFrames.read(path)).toBeUndefined();
    });
  });
});
