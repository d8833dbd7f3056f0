/**
 * Does a large file pass through the container without being held in memory? A WAV of 2 GiB is fetched, encoded and
 * uploaded over HTTP. The bench prints the peak resident memory of the container's own process (VmHWM, Linux).
 */
import { readFile, stat } from 'node:fs/promises';
import { MediaServer } from '../test/fixtures/media-server.ts';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';

/** 44.1 kHz, stereo, 16 bits: a little over 2 GiB. */
const inputSeconds = 12_180;

async function peakMebibytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'latin1');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
}

const media = await MediaServer.start();
const container = await TestContainer.start();
try {
  const wav = await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg });
  const idle = await peakMebibytes(container.process.pid);
  const uploadUrl = media.on('PUT /out.flac', (request, response) => {
    request.resume().on('end', () => response.end());
  });
  const answer = await container.call('POST', '/encode', {
    sourceUrl: media.serve('/in.wav', wav),
    outputs: [{ format: 'flac', uploadUrl }],
  });
  if (answer.status !== 200) throw new Error(`the encode failed: ${container.process.output}`);
  const peak = await peakMebibytes(container.process.pid);
  const gibibytes = (await stat(wav)).size / 1024 ** 3;
  console.log(`input ${gibibytes.toFixed(2)} GiB, output ${(answer.body.outputs[0].size / 1024 ** 3).toFixed(2)} GiB`);
  console.log(`peak memory of the container's process: ${peak.toFixed(0)} MiB (${idle.toFixed(0)} MiB before the job)`);
} finally {
  await container.stop();
  await media.stop();
}
