/**
 * Does a large file pass through the container without being held in memory? A WAV of 2 GiB is fetched, encoded and
 * uploaded over HTTP. The bench reports the peak resident memory of the container's own process (VmHWM, Linux).
 */
import { MediaServer } from '../test/fixtures/media-server.ts';
import { TestContainer } from '../test/support/container.ts';
import { longWav, musicOgg } from '../test/support/media.ts';
import { peakMebibytes } from './process-memory.ts';
import { inUnit, report } from './report.ts';

/** 44.1 kHz, stereo, 16 bits: a little over 2 GiB. */
const inputSeconds = 12_180;

const media = await MediaServer.start();
const container = await TestContainer.start();
try {
  const wav = await longWav({ seconds: inputSeconds, channels: 2, source: musicOgg });
  const idle = peakMebibytes(container.process.pid);
  const uploadUrl = media.on('PUT /out.flac', (request, response) => {
    request.resume().on('end', () => response.end());
  });
  const answer = await container.call('POST', '/encode', {
    sourceUrl: media.serve('/in.wav', wav),
    outputs: [{ format: 'flac', uploadUrl }],
  });
  if (answer.status !== 200) throw new Error(`the encode failed: ${container.process.output}`);
  report('memory', 'a WAV of 2 GiB to FLAC', {
    peak: inUnit('MiB', peakMebibytes(container.process.pid)),
    'peak before': inUnit('MiB', idle),
  });
} finally {
  await container.stop();
  await media.stop();
}
