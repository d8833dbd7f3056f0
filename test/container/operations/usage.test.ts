import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import { appendFile, copyFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readGroupUse } from '../../../engine/ffmpeg/process-activity.ts';
import { TestContainer } from '../../support/container.ts';
import { ffmpegProcessesUnder } from '../../support/ffmpeg-processes.ts';
import { useFolder } from '../../support/folder.ts';
import { longWav, speechWav } from '../../support/media.ts';
import { stopAfterTest } from '../../support/stop-after-all.ts';

/**
 * Runs the tool of its own name, and writes the user and system time that bash measures to the pipe `times`. ffprobe may
 * write no file.
 */
const timed = `#!/bin/bash
[ "$1" = -version ] && exec "\${0##*/}" "$@"
TIMEFORMAT='%3U %3S'
exec 3>&2
{ time "\${0##*/}" "$@" 2>&3; } 2>"\${0%/*}/times"
`;

/** Line after the times of all tools that have ended. */
const mark = 'end\n';

/** Seconds that a tool's shells and wrapper take at most, which bash does not count. */
const startSeconds = 0.05;

const folder = useFolder();
let container: TestContainer;
let times: ReadStream;
let written = '';

beforeAll(async () => {
  await writeFile(join(folder, 'ffmpeg'), timed, { mode: 0o755 });
  await symlink('ffmpeg', join(folder, 'ffprobe'));
  await promisify(execFile)('mkfifo', [join(folder, 'times')]);
  // Opened for writing too, the pipe does not end with its first writer.
  times = createReadStream(join(folder, 'times'), { flags: 'r+', encoding: 'utf8' });
  times.on('data', (text) => (written += text));
  container = await TestContainer.start({
    FFMPEG_PATH: join(folder, 'ffmpeg'),
    FFPROBE_PATH: join(folder, 'ffprobe'),
  });
  await copyFile(await longWav({ seconds: 240 }), join(container.mediaRoot, 'long.wav'));
  await copyFile(speechWav, join(container.mediaRoot, 'talk.wav'));
});

afterAll(async () => {
  await container.stop();
  times.destroy();
  // The last read of the stream waits for a write, and would block a thread of this process.
  await Promise.all([once(times, 'close'), appendFile(join(folder, 'times'), mark)]);
});

/** Processor time of each tool since the last call. A pipe keeps the order of its lines, so the mark is read last. */
async function takeTimes(): Promise<number[]> {
  await appendFile(join(folder, 'times'), mark);
  await expect.poll(() => written.endsWith(mark)).toBe(true);
  const lines = written.slice(0, -mark.length).split('\n').filter(Boolean);
  written = '';
  return lines.map((line) => line.split(' ').map(Number)).map(([user = 0, system = 0]) => user + system);
}

function encode(source: string, format = 'mp3_128') {
  const outputs = [{ format, uploadUrl: container.fileUrl(`${source}.out`) }];
  return { sourceUrl: container.fileUrl(source), outputs };
}

test('an encode reports the processor time that bash measures, and the bytes it has read and stored', async () => {
  await takeTimes();
  const { status, body } = await container.call('POST', '/encode', encode('long.wav'));
  expect(status).toBe(200);
  const tools = await takeTimes();
  const measured = tools.reduce((sum, one) => sum + one, 0);
  expect(measured).toBeGreaterThan(1);
  const { usage } = body;
  expect(usage.cpuSeconds).toBeGreaterThan(measured - 0.02);
  expect(usage.cpuSeconds).toBeLessThan(measured + tools.length * startSeconds);
  expect(usage.bytesIn).toBe((await stat(join(container.mediaRoot, 'long.wav'))).size);
  expect(usage.bytesOut).toBe(body.outputs[0].size);
  const job = await container.job(body.jobId);
  expect(job.state === 'succeeded' && job.result).toEqual(body);
  expect(usage.seconds).toBeGreaterThan(0);
});

test('a failed job and a chunk job report what they have used', async () => {
  await writeFile(join(container.mediaRoot, 'noise.wav'), Buffer.alloc(5000, 7));
  const failed = await container.call('POST', '/encode', encode('noise.wav'));
  expect(failed.body).toMatchObject({ code: 'undecodable_source', usage: { bytesIn: 5000, bytesOut: 0 } });
  expect(failed.body.usage.cpuSeconds).toBeGreaterThan(0);

  const uploadUrl = container.fileUrl('chunk.wav');
  const chunked = await container.call('POST', '/chunk', {
    sourceUrl: container.fileUrl('talk.wav'),
    chunkDuration: 600,
    chunks: [{ index: 0, uploadUrl }],
  });
  expect(chunked.body.usage.bytesOut).toBe(chunked.body.chunks[0].size);
});

test('a cancelled job reports the time of the ffmpeg that it ended', async () => {
  // The signal would end the shell around ffmpeg, and leave ffmpeg to another parent.
  const plain = await stopAfterTest(TestContainer.start());
  await copyFile(await longWav({ seconds: 3600 }), join(plain.mediaRoot, 'hour.wav'));
  const outputs = [{ format: 'opus_96', uploadUrl: plain.fileUrl('hour.ogg') }];
  const jobId = await plain.submit('/encode', { sourceUrl: plain.fileUrl('hour.wav'), outputs });
  const used = await plain.process.until('half a second of ffmpeg', async () => {
    const processes = await ffmpegProcessesUnder(plain.scratchDir);
    const uses = await Promise.all(processes.map(async (pid) => (await readGroupUse(pid))?.get(pid)?.cpuSeconds ?? 0));
    const sum = uses.reduce((total, one) => total + one, 0);
    return sum > 0.5 && sum;
  });
  await plain.call('DELETE', `/jobs/${jobId}`);
  const job = await plain.untilEnded(jobId);
  expect(job).toMatchObject({ state: 'cancelled', error: { usage: { bytesOut: 0 } } });
  expect(job.state === 'cancelled' && job.error.usage?.cpuSeconds).toBeGreaterThanOrEqual(used);
});

test('an inspection beside a job reports no usage', async () => {
  const jobId = await container.submit('/metadata', { sourceUrl: container.fileUrl('talk.wav') });
  const job = await container.untilEnded(jobId);
  expect(job.state).toBe('succeeded');
  expect(job).not.toHaveProperty('result.usage');
});
