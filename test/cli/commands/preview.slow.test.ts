import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import { probeAudio } from '../../support/media.ts';
import { makeMedia } from '../../support/media-files.ts';
import { testInSandbox } from '../command-sandbox.ts';

testInSandbox(
  'encode --preview writes ten seconds from the middle of a film, and its estimate of the whole is within 15 %',
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
  },
);
