// Has a container make every product of one file: each codec in each container, each image and analysis in each format,
// and films with edits. Packages and images of several files are in server.mjs.
//   node scripts/check-image/products.mjs <address> <media folder>
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyses } from '../../contract/analyses.ts';
import { audioCodecs } from '../../contract/audio-codecs.ts';
import { containers } from '../../contract/formats.ts';
import { maxOutputs } from '../../contract/http/encode.ts';

const [address, media] = process.argv.slice(2);

const pictures = ['-f', 'lavfi', '-i', 'testsrc2=size=192x128:rate=25:duration=1'];
const sound = ['-f', 'lavfi', '-i', 'sine=frequency=440:duration=1'];
const hdr = 'colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc:log-level=error';
function make(name, ...args) {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, join(media, name)]);
}
writeFileSync(join(media, 'words.srt'), '1\n00:00:00,000 --> 00:00:00,900\nGrüße\n');
make(
  'film.mkv',
  ...pictures,
  ...sound,
  '-i',
  join(media, 'words.srt'),
  '-c:v',
  'libx264',
  '-c:a',
  'aac',
  '-c:s',
  'srt',
);
make('hdr.mkv', ...pictures, '-pix_fmt', 'yuv420p10le', '-c:v', 'libx265', '-x265-params', hdr);
make('mark.png', '-f', 'lavfi', '-i', 'color=red@0.5:size=32x32,format=rgba', '-frames:v', '1');

const h264 = { container: 'mp4', video: { codec: 'h264' }, audio: false };
const urlOf = (name) => `file:///media/${name}`;

/** A codec with losses needs a bitrate, and each of them has this one for one channel. */
const audioOf = (codec) => ({ codec, ...(audioCodecs[codec].bitrates !== undefined && { bitrate: 96 }) });

/** Each codec of a container, once or more. */
function filesOf(container, { audioCodecs: sounds, videoCodecs: films = [], needsVideo = false }) {
  const alone = needsVideo ? [] : sounds.map((codec) => ({ container, audio: audioOf(codec) }));
  const pairs = films.length === 0 ? 0 : Math.max(sounds.length, films.length);
  const together = Array.from({ length: pairs }, (_, index) => ({
    container,
    video: { codec: films[index % films.length] },
    audio: audioOf(sounds[index % sounds.length]),
  }));
  return [...alone, ...together];
}

/** Kinds of one file in all their formats. server.mjs asks for the others, which a run delivers. */
const imagesAndAnalyses = Object.entries(analyses)
  .filter(([, { hasSeveralFiles = false }]) => !hasSeveralFiles)
  .flatMap(([kind, { asked, formats = [undefined] }]) =>
    formats.map((imageFormat) => ({ [asked]: kind, ...(imageFormat !== undefined && { imageFormat }) })),
  );

/** Outputs, some with a source of their own. */
const products = [
  ...Object.entries(containers).flatMap(([container, facts]) => filesOf(container, facts)),
  ...imagesAndAnalyses,
  { ...h264, video: { codec: 'h264', deinterlace: true, denoise: 'light', sharpen: 'light', rotate: 90 } },
  { ...h264, video: { codec: 'h264', width: 128, height: 128, fit: 'blur' } },
  { ...h264, subtitles: 'burn' },
  { ...h264, subtitles: 'keep' },
  { ...h264, watermark: { url: urlOf('mark.png') } },
  { container: 'wav', loudness: 'ebu-r128', fade: { in: 0.1, out: 0.1 }, audio: { codec: 'pcm', sampleRate: 44_100 } },
  { source: 'hdr.mkv', ...h264, video: { codec: 'h264', hdr: 'sdr' } },
];

async function encode(source, outputs) {
  const response = await fetch(`${address}/encode`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    signal: AbortSignal.timeout(300_000),
    body: JSON.stringify({ sourceUrl: urlOf(source), outputs }),
  });
  const answer = await response.text();
  assert.equal(response.status, 200, `${JSON.stringify(outputs)}\n${answer}`);
  return JSON.parse(answer);
}

try {
  const bySource = Map.groupBy(products, ({ source = 'film.mkv' }) => source);
  let made = 0;
  for (const [source, ofSource] of bySource) {
    const wanted = ofSource.map((output, index) => ({
      ...output,
      // Not a field of an output.
      source: undefined,
      uploadUrl: urlOf(`products/${source}-${index}`),
    }));
    for (let first = 0; first < wanted.length; first += maxOutputs) {
      const outputs = wanted.slice(first, first + maxOutputs);
      const answer = await encode(source, outputs);
      assert.equal(answer.success, true, JSON.stringify(answer));
      assert.equal(answer.outputs.length, outputs.length, JSON.stringify(answer));
      made += outputs.length;
    }
  }
  console.log(`        ${made} products of every codec, container and kind`);
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  rmSync(join(media, 'products'), { recursive: true, force: true });
}
