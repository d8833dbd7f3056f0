import { execFile } from 'node:child_process';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { PackageReport } from '../../../contract/package-report.ts';
import { edit, packageFilm } from '../../engine/products/package/packaged-film.ts';
import { type CommandSandbox, matrixTestInSandbox, testInSandbox } from '../command-sandbox.ts';

const run = promisify(execFile);

interface Inspected {
  code: number | null;
  output: string;
}

function placeIn({ folder }: CommandSandbox): (name: string) => string {
  return (name) => join(folder, name);
}

async function inspectIn(sandbox: CommandSandbox, ...args: string[]): Promise<Inspected> {
  const command = sandbox.npm('inspect', '--', ...args);
  const { code } = await command.exited;
  expect(command.output).not.toMatch(/^\s+at /m);
  return { code, output: command.output };
}

testInSandbox('inspect reports the contents and problems of a package', async ({ sandbox }) => {
  const place = placeIn(sandbox);
  const inspect = (...args: string[]): Promise<Inspected> => inspectIn(sandbox, ...args);
  const made = await packageFilm();
  await rename(join(made, 'files'), place('talk'));
  await rm(made, { recursive: true });
  const whole = await inspect('talk');
  expect(whole.code, whole.output).toBe(0);
  expect(whole.output).toMatch(/package +HLS and DASH/);
  expect(whole.output).toMatch(/v90 +video avc1 · 3 segments · 00:05\.0 · \d+ kbit\/s, up to \d+ · 5 key frames/);
  expect(whole.output).toMatch(/a +audio mp4a · 3 segments/);
  expect(whole.output).toContain('No problems found.');
  expect(whole.output).toContain('Not checked:\n  - how a server answers');

  // Damages video data inside `mdat`, which no box describes.
  const segment = await readFile(place('talk/v46/2.m4s'));
  await writeFile(
    place('talk/v46/2.m4s'),
    segment.fill(0x5a, segment.indexOf('mdat') + 300, segment.indexOf('mdat') + 900),
  );
  const damaged = await inspect('talk', '--json');
  expect(damaged.code).toBe(1);
  const report = PackageReport.parse(JSON.parse(damaged.output.slice(damaged.output.indexOf('{'))));
  expect(report.problems).toEqual(['v46: segment 2 cannot be decoded alone without an error']);
  const undecoded = await inspect('talk', '--no-decode');
  expect(undecoded.code, undecoded.output).toBe(0);
  expect(undecoded.output).toContain('- whether each segment can be decoded');

  await writeFile(place('notes.m3u8'), 'Dear diary');
  expect(await inspect('notes.m3u8')).toEqual({
    code: 1,
    output: expect.stringContaining('notes.m3u8 is not an HLS playlist.') as string,
  });
  const refused = await inspect('talk', '--out', 'there');
  expect(refused.output).toContain('--out and --overwrite do not apply to packages');
});

matrixTestInSandbox('inspect reports packages of ffmpeg, and packages on a server', async ({ sandbox }) => {
  const place = placeIn(sandbox);
  const inspect = (...args: string[]): Promise<Inspected> => inspectIn(sandbox, ...args);
  const made = await packageFilm();
  await rename(join(made, 'byte_ranges'), place('ranges'));
  // Packages of ffmpeg's own muxers: fragmented MP4 with audio and video, MPEG transport streams, and DASH.
  const inputs = ['-i', join(made, 'v90.mp4'), '-i', join(made, 'a.mp4'), '-c', 'copy'];
  const hls = ['-f', 'hls', '-hls_playlist_type', 'vod', '-hls_time', '2'];
  const others = {
    fmp4: [...hls, '-hls_segment_type', 'fmp4', '-master_pl_name', 'master.m3u8', place('fmp4/s.m3u8')],
    transport: [...hls, place('transport/s.m3u8')],
    dash: ['-f', 'dash', '-seg_duration', '2', place('dash/m.mpd')],
  };
  for (const [name, options] of Object.entries(others)) {
    await mkdir(place(name));
    // ffmpeg writes init segments into its working folder.
    await run('ffmpeg', ['-v', 'error', ...inputs, ...options], { cwd: place(name) });
  }
  await rm(made, { recursive: true });

  expect(await inspect('dash/m.mpd')).toMatchObject({ code: 0 });
  const transport = await inspect('transport/s.m3u8');
  expect(transport.code, transport.output).toBe(0);
  expect(transport.output).toContain('times and key frames of its segments, for they are not fragmented MP4');
  const fmp4 = await inspect('fmp4/master.m3u8');
  expect(fmp4.code).toBe(1);
  expect(fmp4.output).toContain('  - s: the master playlist does not say its codecs');
  expect(fmp4.output).toContain('its pictures begin at 0.080 s, and not at 0');

  // The package is on a server, with byte ranges; one of its playlists is missing.
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const path = place(request.url ?? '');
    stat(path).then(
      async () => response.end(await readFile(path)),
      () => response.writeHead(404).end(),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/ranges`;
    expect(await inspect(`${url}/manifest.mpd`)).toMatchObject({ code: 0 });
    expect(asked.filter((path) => path.endsWith('.mp4'))).toHaveLength(3);
    await edit(place('ranges/master.m3u8'), 'v46.m3u8', 'v47.m3u8');
    const { code, output } = await inspect(`${url}/master.m3u8`);
    expect(code).toBe(1);
    expect(output).toContain('  - v47: its playlist is missing');
    const absent = await inspect(`${url}/absent.m3u8?key=secret`);
    expect(absent).toEqual({ code: 1, output: expect.stringContaining('/absent.m3u8 is missing.') as string });
    expect(absent.output).not.toContain('secret');
  } finally {
    server.close();
  }
});
