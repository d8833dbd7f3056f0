import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { probeAudio } from '../../support/media.ts';
import { makeMedia } from '../../support/media-files.ts';
import { testInSandbox } from '../command-sandbox.ts';

interface Estimates {
  runs: { labels: string[]; estimate: { runs: number; seconds: number; sizes: number[] } }[];
}

testInSandbox(
  'encode --preview writes ten seconds of a film, and both its estimate and --estimate are within 15 % of the whole',
  async ({ sandbox }) => {
    const picture = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=40'];
    // Pitch tells the time: 200 Hz and 10 Hz more for each second.
    const sound = ['-f', 'lavfi', '-i', 'aevalsrc=0.3*sin(2*PI*(200*t+5*t*t)):d=40:s=44100'];
    await makeMedia(sandbox.folder, 'film.mp4', ...picture, ...sound, '-preset', 'ultrafast', '-shortest');
    await sandbox.start();
    const asked = ['film.mp4', '--preset', 'proxy-360', '--format', 'mp3_128'];
    const preview = sandbox.shell(`holdfast encode -- ${asked.join(' ')} --preview --json > preview.json`);
    expect(await preview.exited, preview.output).toEqual({ code: 0, signal: null });
    const files = ['film.preview.mp3', 'film.preview.mp4'];
    expect((await readdir(sandbox.folder)).filter((name) => name.startsWith('film.preview')).toSorted()).toEqual(files);
    const { duration } = await probeAudio(join(sandbox.folder, 'film.preview.mp3'));
    expect(duration).toBeGreaterThan(9.9);
    expect(duration).toBeLessThan(10.1);

    const written = await readFile(join(sandbox.folder, 'preview.json'), 'utf8');
    const [run] = (JSON.parse(written) as { runs: [{ result: { estimate: { sizes: number[] } } }] }).runs;
    const whole = sandbox.npm('encode', '--', ...asked, '--out', 'whole');
    expect(await whole.exited, whole.output).toEqual({ code: 0, signal: null });
    // Formats come before presets.
    for (const [index, name] of ['film.mp3', 'film.mp4'].entries()) {
      const { size } = await stat(join(sandbox.folder, 'whole', name));
      const estimated = run.result.estimate.sizes[index] ?? 0;
      expect(Math.abs(estimated / size - 1), name).toBeLessThan(0.15);
    }

    // The preview is no past run.
    const estimate = sandbox.shell(
      `holdfast encode -- ${asked.join(' ')} --out whole --estimate --json > estimate.json && holdfast runs -- --json > runs.json`,
    );
    expect(await estimate.exited, estimate.output).toEqual({ code: 0, signal: null });
    const { runs } = JSON.parse(await readFile(join(sandbox.folder, 'estimate.json'), 'utf8')) as Estimates;
    expect(runs).toMatchObject([{ labels: ['mp3_128', 'proxy-360'], estimate: { runs: 1 } }]);
    expect(runs[0]?.estimate.seconds).toBeGreaterThan(0);
    for (const [index, name] of ['film.mp3', 'film.mp4'].entries()) {
      const { size } = await stat(join(sandbox.folder, 'whole', name));
      expect(Math.abs((runs[0]?.estimate.sizes[index] ?? 0) / size - 1), name).toBeLessThan(0.15);
    }
    const listed = JSON.parse(await readFile(join(sandbox.folder, 'runs.json'), 'utf8')) as { runs: unknown[] };
    expect(listed.runs).toHaveLength(2);
    const unknown = sandbox.npm('encode', '--', 'talk.wav', '--format', 'opus_24', '--estimate');
    await unknown.exited;
    expect(unknown.output).toContain(
      'talk.wav → opus_24\n  no estimate, because no run of the same kind has succeeded yet',
    );
  },
);
