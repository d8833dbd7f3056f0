import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { AudioReport, SilentReport } from '../../../contract/http/report.ts';
import { matrixTestInSandbox, testInSandbox } from '../command-sandbox.ts';

const execute = promisify(execFile);

testInSandbox(
  'inspect reports the properties of an audio file, and writes files only with --out',
  async ({ sandbox }) => {
    const inspect = sandbox.npm('inspect', '--', 'talk.wav');
    expect(await inspect.exited, inspect.output).toEqual({ code: 0, signal: null });
    expect(inspect.output).toMatch(/pcm_s16le in wav · \d+ Hz mono · 00:15\.2/);
    expect(inspect.output).toMatch(/loudness +-[\d.]+ LUFS/);
    expect(inspect.output).toMatch(/waveform +\S/);
    // Without a terminal, the output is plain text.
    expect(inspect.output).not.toMatch(/[^\P{Cc}\n]/u);
    expect(await readdir(sandbox.folder)).toEqual(['talk.wav']);

    const json = sandbox.shell('holdfast inspect -- talk.wav --json --out there 2> /dev/null');
    expect(await json.exited, json.output).toEqual({ code: 0, signal: null });
    const { runs } = JSON.parse(json.output) as { runs: { result: { report: unknown } }[] };
    const report = AudioReport.parse(runs[0]?.result.report);
    expect(report).toMatchObject({ channels: 1, source: { codec: 'pcm_s16le', isLossy: false } });
    const names = ['talk.report.json', 'talk.spectrogram.png', 'talk.waveform.png'];
    expect((await readdir(join(sandbox.folder, 'there'))).sort()).toEqual(names);
    const written = await readFile(join(sandbox.folder, 'there', 'talk.report.json'), 'utf8');
    expect(AudioReport.parse(JSON.parse(written))).toEqual(report);
    expect(await readdir(join(sandbox.home, 'media'))).toEqual([]);
  },
);

testInSandbox('inspect explains in a sentence what cannot be inspected', async ({ sandbox }) => {
  const missing = sandbox.npm('inspect', '--', 'absent.wav');
  expect(await missing.exited).toEqual({ code: 1, signal: null });
  expect(missing.output).toMatch(/absent\.wav/);
  expect(missing.output).not.toMatch(/^\s+at /m);
  await writeFile(join(sandbox.folder, 'notes\u001b[31m.mp3'), 'Dear diary');
  const notMedia = sandbox.npm('inspect', '--', 'notes\u001b[31m.mp3');
  expect(await notMedia.exited).toEqual({ code: 1, signal: null });
  expect(notMedia.output).toMatch(/failed\.\nThe source cannot be decoded/);
  expect(notMedia.output).not.toContain('\u001b');
});

matrixTestInSandbox('inspect of a silent film writes a contact sheet and reports no audio', async ({ sandbox }) => {
  const film = join(sandbox.folder, "a 'mute' film & ünïcode.mkv");
  await execute('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=2', '-c:v', 'ffv1', film]);
  const inspect = sandbox.npm('inspect', '--', film, '--out', 'there');
  expect(await inspect.exited, inspect.output).toEqual({ code: 0, signal: null });
  expect(inspect.output).toMatch(/source +matroska,webm · 00:02\.0 · no audio/);
  expect(inspect.output).toContain('.contact-sheet.jpg (20 pictures, one every 0.1 s)');
  expect(inspect.output).not.toMatch(/loudness|left out|skipped/);
  const names = ['contact-sheet.jpg', 'report.json'].map((kind) => `a 'mute' film & ünïcode.${kind}`);
  expect((await readdir(join(sandbox.folder, 'there'))).toSorted()).toEqual(names);

  const json = sandbox.shell(`holdfast inspect -- ${film.replaceAll(/[ '&]/g, '\\$&')} --json 2> /dev/null`);
  expect(await json.exited, json.output).toEqual({ code: 0, signal: null });
  const { runs } = JSON.parse(json.output) as { runs: { result: { report: unknown } }[] };
  expect(SilentReport.parse(runs[0]?.result.report)).toMatchObject({ file: { pictures: { frames: 50 } } });
});
