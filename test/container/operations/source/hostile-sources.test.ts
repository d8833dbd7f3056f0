import { execFileSync } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { ffmpegProcessesUnder } from '../../../support/ffmpeg-processes.ts';
import { longWav, speechWav } from '../../../support/media.ts';
import { words } from '../../../support/media-files.ts';
import { stopAfterAll, stopAfterTest } from '../../../support/stop-after-all.ts';

/** fast-check prints the seed of a failure; set the variable to repeat it. */
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 20_261_121);

const container = await stopAfterAll(TestContainer.start());

afterAll(async () => {
  expect(await container.jobFolders()).toEqual([]);
  expect(await ffmpegProcessesUnder(container.scratchDir)).toEqual([]);
});

async function encodeBytes(name: string, bytes: Buffer) {
  await writeFile(join(container.mediaRoot, name), bytes);
  return container.call('POST', '/encode', {
    sourceUrl: container.fileUrl(name),
    outputs: [{ format: 'wav', uploadUrl: container.fileUrl(`${name}.out.wav`) }],
  });
}

function ffmpeg(args: string[]): void {
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args]);
}

/** A second of silence behind a WAV header with these claims. */
function wavHeader(channels: number, sampleRate: number): Buffer {
  const data = Buffer.alloc(65_536);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(sampleRate, 24);
  header.writeUInt32LE((sampleRate * channels * 2) >>> 0, 28);
  header.writeUInt16LE((channels * 2) & 0xffff, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}

describe('hostile media', () => {
  test.each([
    [1, 4_294_967_295],
    [1, 4_000_000],
    [255, 44_100],
    [65_535, 44_100],
    [0, 44_100],
    [1, 0],
    [1, 1],
    [1, 7],
    [1, 999],
  ])('rejects a WAV that claims %i channels at %i Hz', async (channels, sampleRate) => {
    const answer = await encodeBytes('absurd.wav', wavHeader(channels, sampleRate));
    expect(answer).toMatchObject({ status: 422, body: { success: false, code: 'undecodable_source' } });
  });

  test('rejects a complete WAV that is too long before it is decoded', async () => {
    const brief = await stopAfterTest(TestContainer.start({ MAX_SOURCE_DURATION_SECONDS: '30' }));
    // 32,768 samples at 1 kHz.
    await writeFile(join(brief.mediaRoot, 'slow.wav'), wavHeader(1, 1000));
    const answer = await brief.call('POST', '/encode', {
      sourceUrl: brief.fileUrl('slow.wav'),
      outputs: [{ format: 'wav', uploadUrl: brief.fileUrl('x') }],
    });
    expect(answer).toMatchObject({ status: 413, body: { code: 'source_too_long' } });
    expect(brief.process.output).not.toContain('Encoding by a single run');
  });

  test.each(['encode', 'chunk'])('ends a job of %s at the duration limit if its source never ends', async (kind) => {
    const ffmpegPath = fileURLToPath(new URL('../../../fixtures/ffmpeg/never-ends', import.meta.url));
    const brief = await stopAfterTest(
      TestContainer.start({
        ...{ FFMPEG_PATH: ffmpegPath, MAX_SOURCE_DURATION_SECONDS: '60', JOB_TIMEOUT_SECONDS: '30' },
      }),
    );
    await copyFile(speechWav, join(brief.mediaRoot, 'in.wav'));
    const places = { outputs: [{ format: 'wav', uploadUrl: brief.fileUrl('x') }] };
    const chunks = { chunks: [{ index: 0, uploadUrl: brief.fileUrl('x') }] };
    const answer = await brief.call('POST', `/${kind}`, {
      sourceUrl: brief.fileUrl('in.wav'),
      ...(kind === 'encode' ? places : chunks),
    });
    expect(answer).toMatchObject({ status: 413, body: { code: 'source_too_long' } });
  });

  test('encodes a source that is exactly as long as the limit, also at a loudness', async () => {
    const brief = await stopAfterTest(TestContainer.start({ MAX_SOURCE_DURATION_SECONDS: '10' }));
    ffmpeg(['-i', speechWav, '-t', '10', join(brief.mediaRoot, 'exact.wav')]);
    const answer = await brief.call('POST', '/encode', {
      sourceUrl: brief.fileUrl('exact.wav'),
      outputs: [{ format: 'mp3', loudness: { integrated: -16, truePeak: -1 }, uploadUrl: brief.fileUrl('x') }],
    });
    expect(answer).toMatchObject({ status: 200, body: { outputs: [{ duration: 10 }] } });
  });

  test.each([
    // ffprobe takes the bitrate of the silence for that of the whole, and the length for minutes.
    ['analyses a source whose length ffprobe guesses', 'guess.aac', 25, 'lt(t,20)', {}],
    [
      'analyses what is left of a source without its pauses',
      'pauses.wav',
      60,
      'between(t,2,58)',
      { silence: { shortenTo: 0.5 } },
    ],
    ['cuts a source whose length ffprobe guesses into chunks', 'guess.aac', 25, 'lt(t,20)', undefined],
  ])('%s, if its samples fit', async (_what, name, seconds, pause, cut) => {
    const small = await stopAfterTest(TestContainer.start({ MAX_OUTPUT_BYTES: '1000000' }));
    ffmpeg([
      ...['-f', 'lavfi', '-i', `anoisesrc=r=8000:a=0.5:d=${seconds},volume=0:enable='${pause}'`],
      ...['-b:a', '64k', join(small.mediaRoot, name)],
    ]);
    const uploadUrl = small.fileUrl('x');
    const answer = await small.call('POST', cut === undefined ? '/chunk' : '/encode', {
      sourceUrl: small.fileUrl(name),
      ...(cut === undefined
        ? { chunks: [{ index: 0, uploadUrl }] }
        : { outputs: [{ analysis: 'peaks', ...cut, uploadUrl }] }),
    });
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
  });

  test('rejects a source with more streams than the limit', async () => {
    const few = await stopAfterTest(TestContainer.start({ MAX_SOURCE_STREAMS: '2' }));
    const path = join(few.mediaRoot, 'streams.mka');
    ffmpeg(['-i', speechWav, '-map', '0', '-map', '0', '-map', '0', '-c:a', 'flac', path]);
    const answer = await few.call('POST', '/encode', {
      sourceUrl: few.fileUrl('streams.mka'),
      outputs: [{ format: 'wav', uploadUrl: few.fileUrl('x') }],
    });
    expect(answer).toMatchObject({
      status: 422,
      body: { code: 'undecodable_source', details: { maxSourceStreams: 2 } },
    });
  });

  test('ends hours of silence in a few kilobytes at the duration limit, and an output at the size limit', async () => {
    const small = await stopAfterTest(
      TestContainer.start({ MAX_SOURCE_DURATION_SECONDS: '100', MAX_OUTPUT_BYTES: '2000000' }),
    );
    // Ogg declares no length: only decoding reveals it.
    ffmpeg([
      ...words('-f lavfi -i anullsrc=r=8000:cl=mono -t 300 -c:a libopus -b:a 6k'),
      join(small.mediaRoot, 'long.ogg'),
    ]);
    const outputs = [{ format: 'opus_6', uploadUrl: small.fileUrl('x') }];
    expect(await small.call('POST', '/encode', { sourceUrl: small.fileUrl('long.ogg'), outputs })).toMatchObject({
      status: 413,
      body: { code: 'source_too_long' },
    });
    ffmpeg([...words('-f lavfi -i anullsrc=r=48000:cl=stereo -t 90 -c:a flac'), join(small.mediaRoot, 'bomb.flac')]);
    const wav = [{ format: 'wav', uploadUrl: small.fileUrl('x') }];
    expect(await small.call('POST', '/encode', { sourceUrl: small.fileUrl('bomb.flac'), outputs: wav })).toMatchObject({
      status: 422,
      body: { code: 'output_invalid' },
    });
    expect(await small.health()).toMatchObject({ activeJobs: 0 });
  });

  test('returns hostile tags as plain text, and keeps every log line one line of JSON', async () => {
    const title = 'evil\u001b[31m\n{"level":60,"msg":"forged"}\r\n<script>alert(1)</script>';
    ffmpeg(['-i', speechWav, '-c:a', 'flac', '-metadata', `title=${title}`, join(container.mediaRoot, 'tags.flac')]);
    const answer = await container.call('POST', '/metadata', { sourceUrl: container.fileUrl('tags.flac') });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(container.process.messages()).not.toContain('forged');
    for (const line of container.process.output.split('\n')) expect(() => JSON.parse(line)).not.toThrow();
  });

  test('survives damage anywhere in a file, frees the slot and reports no false success', async () => {
    const wav = await longWav({ seconds: 3 });
    const wholeFiles = new Map<string, Buffer>();
    for (const extension of ['flac', 'mp3', 'm4a', 'ogg', 'mka']) {
      const path = join(container.mediaRoot, `whole.${extension}`);
      ffmpeg(['-i', wav, path]);
      wholeFiles.set(extension, await readFile(path));
    }
    const damage = fc.record({
      extension: fc.constantFrom(...wholeFiles.keys()),
      places: fc.array(
        fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.integer({ min: 0, max: 255 }) }),
        {
          minLength: 1,
          maxLength: 40,
        },
      ),
      keep: fc.double({ min: 0.05, max: 1, noNaN: true }),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ extension, places, keep }) => {
        const bytes = Buffer.from(wholeFiles.get(extension) ?? []);
        for (const { at, byte } of places) bytes[Math.floor(at * (bytes.length - 1))] = byte;
        const answer = await encodeBytes(`damaged.${extension}`, bytes.subarray(0, Math.ceil(bytes.length * keep)));
        expect([200, 413, 422], JSON.stringify(answer.body)).toContain(answer.status);
        expect(await container.health()).toMatchObject({ status: 'healthy', activeJobs: 0 });
        if (answer.status !== 200) return;
        // A success is a whole WAV of the reported length.
        const [output] = answer.body.outputs;
        const stored = await readFile(join(container.mediaRoot, `damaged.${extension}.out.wav`));
        expect(stored).toHaveLength(output.size);
        expect(output.duration).toBeGreaterThan(0);
      }),
      { seed, numRuns: 40 },
    );
  });
});

describe('hostile requests', () => {
  test('answers arbitrary JSON with invalid_request and frees the slot', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.jsonValue({ maxDepth: 4 }),
        fc.constantFrom('/encode', '/chunk', '/metadata'),
        async (body, path) => {
          const answer = await container.call('POST', path, JSON.stringify(body));
          expect(answer).toMatchObject({ status: 400, body: { success: false, code: 'invalid_request' } });
        },
      ),
      { seed, numRuns: 150 },
    );
    expect(await container.health()).toMatchObject({ activeJobs: 0 });
  });

  test('rejects formats that are command line options or other tricks', async () => {
    for (const format of [
      '-i',
      'mp3_128;id',
      'mp3_128 -f null',
      '../mp3',
      'MP3_128',
      'mp3_0128',
      'mp3_-1',
      'concat:a|b',
      '',
    ]) {
      const answer = await container.call('POST', '/encode', {
        sourceUrl: container.fileUrl('x.wav'),
        outputs: [{ format, uploadUrl: container.fileUrl('x') }],
      });
      expect(answer, format).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
    }
  });
});

test('disconnects a client that drips its request, and serves others meanwhile', async () => {
  const socket = connect(Number(new URL(container.url).port), '127.0.0.1');
  let answer = '';
  socket.on('data', (part) => {
    answer += String(part);
  });
  socket.write('POST /encode HTTP/1.1\r\nHost: x\r\n');
  const drip = setInterval(() => socket.write('X-Drip: 1\r\n'), 500);
  // The connection may also be reset by bytes that arrive as it closes.
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  expect((await container.call('GET', '/health')).status).toBe(200);
  await closed;
  clearInterval(drip);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
});
