import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { expect } from 'vitest';
import { probeAudio } from '../../support/media.ts';
import { makeMedia, sha256Of } from '../../support/media-files.ts';
import { readTags } from '../../engine/formats/tags/read-tags.ts';
import { matrixTestInSandbox, testInSandbox } from '../command-sandbox.ts';
import { argumentsIn } from '../parse-arguments.ts';

testInSandbox(
  'encode writes and reports its files, leaves nothing running, and the next start shows its run in the Web UI',
  async ({ sandbox }) => {
    const chapters = [
      { startTime: 0, title: 'Anfang' },
      { startTime: 9.5, title: 'Ende' },
    ];
    await writeFile(join(sandbox.folder, 'parts.json'), JSON.stringify({ version: '1.2.0', chapters }));
    await makeMedia(sandbox.folder, 'art.png', '-f', 'lavfi', '-i', 'color=red:s=200x100', '-frames:v', '1');
    const tags = ['--title', 'Ein Vortrag', '--chapters', 'parts.json', '--cover', 'art.png'];
    const analyses = ['--analysis', 'peaks', '--zoom', '512', '--image', 'waveform', '--height', '90'];
    const outputs = ['--format', 'mp3_64', '--preset', 'speech-opus', ...analyses];
    const encode = sandbox.npm('encode', '--', 'talk.wav', ...outputs, ...tags);
    expect(await encode.exited, encode.output).toEqual({ code: 0, signal: null });

    const analysed = ['talk.peaks.json', 'talk.waveform.png'];
    const files = ['art.png', 'parts.json', 'talk.mp3', 'talk.ogg', ...analysed, 'talk.wav'].toSorted();
    expect((await readdir(sandbox.folder)).sort()).toEqual(files);
    for (const name of ['talk.mp3', 'talk.ogg']) {
      const read = await readTags(join(sandbox.folder, name));
      expect(read).toMatchObject({ title: 'Ein Vortrag', picture: { mimeType: 'image/jpeg' } });
      expect(read.chapters).toEqual([
        { start: 0, title: 'Anfang' },
        { start: 9.5, title: 'Ende' },
      ]);
    }
    const [mp3, opus] = [
      await probeAudio(join(sandbox.folder, 'talk.mp3')),
      await probeAudio(join(sandbox.folder, 'talk.ogg')),
    ];
    expect(mp3).toMatchObject({ codec: 'mp3', channels: 1, format: 'mp3' });
    expect(opus).toMatchObject({ codec: 'opus', channels: 1, format: 'ogg' });
    // ffprobe includes an MP3's padding.
    expect(Math.abs(mp3.duration - 15.176)).toBeLessThan(0.2);
    expect(Math.abs(opus.duration - 15.176)).toBeLessThan(0.05);

    const peaks = JSON.parse(await readFile(join(sandbox.folder, 'talk.peaks.json'), 'utf8')) as { length: number };
    expect(peaks).toMatchObject({ version: 2, samples_per_pixel: 512 });
    expect(encode.output).toMatch(
      new RegExp(`talk\\.peaks\\.json\\n    peaks · ${peaks.length} pairs of peaks · 15\\.2 s · \\d+ Hz mono · `),
    );
    expect(encode.output).toMatch(/talk\.waveform\.png\n {4}waveform · 1800 × 90 pixels · 15\.2 s · /);
    expect(encode.output).toContain('talk.wav → mp3_64 + speech-opus + peaks + waveform');
    for (const name of ['talk.mp3', 'talk.ogg', ...analysed])
      expect(encode.output).toContain(await sha256Of(join(sandbox.folder, name)));
    expect(encode.output).not.toMatch(/[^\P{Cc}\n]/u);
    expect(await readdir(join(sandbox.home, 'media'))).toEqual([]);
    expect(await sandbox.hasEnded()).toBe(true);

    const [address = ''] = /http:\S+\/history/.exec(encode.output) ?? [];
    const [, workflowId = ''] = /\/workflows\/(encode-talk-[0-9a-f]+)\//.exec(address) ?? [];
    const start = await sandbox.start();
    const page = await request(address.replace(/\/workflows\/.*$/, '/workflows'));
    expect(page.statusCode).toBe(200);
    const origin = new URL(address).origin;
    const answer = await request(`${origin}/api/v1/namespaces/default/workflows/${workflowId}`);
    const { workflowExecutionInfo } = (await answer.body.json()) as { workflowExecutionInfo: { status: string } };
    expect(workflowExecutionInfo.status).toBe('WORKFLOW_EXECUTION_STATUS_COMPLETED');

    expect(await start.stop('SIGINT')).toEqual({ code: 0, signal: null });
    expect(start.output).toMatch(/Stopping the worker.*Stopping the container.*Stopping Temporal.*Stopped\./s);
    expect(await sandbox.hasEnded()).toBe(true);
  },
);

matrixTestInSandbox(
  'encode of a file that is not media fails with one sentence and writes nothing',
  async ({ sandbox }) => {
    await writeFile(join(sandbox.folder, 'notes.mp3'), 'Dear diary');
    const encode = sandbox.npm('encode', '--', 'notes.mp3', '--format', 'flac');
    expect(await encode.exited).toEqual({ code: 1, signal: null });
    expect(encode.output).toMatch(/notes\.mp3 → flac failed\.\nThe source cannot be decoded/);
    expect(encode.output).not.toMatch(/^\s+at /m);
    expect((await readdir(sandbox.folder)).sort()).toEqual(['notes.mp3', 'talk.wav']);
    expect(await sandbox.hasEnded()).toBe(true);
  },
);

testInSandbox('encode and process refuse invalid requests before anything starts', async ({ sandbox }) => {
  await writeFile(join(sandbox.folder, 'talk.mp3'), 'mine');
  const encode = sandbox.npm('encode', '--', 'talk.wav');
  expect(await encode.exited).toEqual({ code: 1, signal: null });
  expect(encode.output).toMatch(/talk\.mp3 already exists.*--overwrite/);
  expect(existsSync(join(sandbox.home, 'temporal.db'))).toBe(false);

  const unknown = sandbox.npm('encode', '--', 'talk.wav', '--preset', 'podcast-mp4');
  expect(await unknown.exited).toEqual({ code: 1, signal: null });
  expect(unknown.output).toMatch(/there is no preset of that name; known are podcast-mp3-stereo/);
  expect(existsSync(join(sandbox.home, 'temporal.db'))).toBe(false);

  const missing = sandbox.npm('encode', '--', 'talk.wav', '--format', 'flac', '--cover', 'missing.png');
  expect(await missing.exited).toEqual({ code: 1, signal: null });
  expect(missing.output).toMatch(/There is no file "missing\.png"/);

  const untagged = sandbox.npm('encode', '--', 'talk.wav', '--format', 'ac3_192', '--title', 'x');
  expect(await untagged.exited).toEqual({ code: 1, signal: null });
  expect(untagged.output).toMatch(/ac3 files cannot hold metadata/);
  expect(existsSync(join(sandbox.home, 'temporal.db'))).toBe(false);

  await mkdir(join(sandbox.folder, 'other'));
  await copyFile(join(sandbox.folder, 'talk.wav'), join(sandbox.folder, 'other/talk.wav'));
  for (const out of ['out', 's3://bucket/talks/']) {
    const shared = sandbox.npm('encode', '--', 'talk.wav', 'other/talk.wav', '--out', out);
    expect(await shared.exited).toEqual({ code: 1, signal: null });
    expect(shared.output).toMatch(/talk\.wav would both be written to .*talk\.mp3/);
  }

  const impossible = sandbox.npm('process', '--', 'talk.wav', '--chunk-duration', '5', '--overlap-duration', '5');
  expect(await impossible.exited).toEqual({ code: 1, signal: null });
  expect(impossible.output).toMatch(/must be shorter than chunkDuration/);
  expect(existsSync(join(sandbox.home, 'temporal.db'))).toBe(false);
});

testInSandbox(
  'encode of a folder runs each file, keeps the folder tree, and exits with 1 if a run fails',
  async ({ sandbox }) => {
    await mkdir(join(sandbox.folder, 'talks/2024'), { recursive: true });
    for (const name of ['one.wav', '2024/two.wav']) {
      await copyFile(join(sandbox.folder, 'talk.wav'), join(sandbox.folder, 'talks', name));
    }
    await writeFile(join(sandbox.folder, 'talks/broken.mp3'), 'Dear diary');
    const options = ['--recursive', '--out', 'out', '-f', 'mp3_64', '-l', 'podcast-mono'];
    const encode = sandbox.npm('encode', '--', 'talks', ...options);
    expect(await encode.exited, encode.output).toEqual({ code: 1, signal: null });
    expect((await readdir(join(sandbox.folder, 'out'), { recursive: true })).sort()).toEqual([
      '2024',
      '2024/two.mp3',
      'one.mp3',
    ]);
    expect(encode.output).toMatch(
      /talks\/2024\/two\.wav +succeeded +\S+ s +-\d+\.\d → -19\.0 LUFS +out\/2024\/two\.mp3/,
    );
    expect(encode.output).toMatch(/talks\/broken\.mp3 +failed +The source cannot be decoded/);
    expect(encode.output).toMatch(/^2 succeeded, 1 failed in|^1 failed, 2 succeeded in/m);
    expect(await readdir(join(sandbox.home, 'media'))).toEqual([]);

    const again = sandbox.npm(...argumentsIn('encode -- talks/one.wav --out out -f mp3_64 --skip-existing --json'));
    expect(await again.exited, again.output).toEqual({ code: 0, signal: null });
    expect(JSON.parse(again.output)).toMatchObject({ runs: [{ state: 'skipped' }] });
  },
);
