import { expect, test } from 'vitest';
import type { EncodeRequest } from '../../../contract/http/encode.ts';
import type { analysisOptionsShape } from '../../../contract/http/analysis.ts';
import type { RequestedOutput } from '../../../contract/http/output.ts';
import type { outputOptionsShape } from '../../../contract/http/output-options.ts';
import type { packageOptionsShape } from '../../../contract/http/package.ts';
import {
  answer,
  busy,
  chunkResult,
  encodedOutput,
  encodeResult,
  metadataResult,
  type Script,
} from '../../fixtures/scripted-container.ts';
import { encodeInput, inTurn, useInstantAttempts, useScriptedRuns } from '../../support/scripted-runs.ts';

const runs = await useScriptedRuns();
const { run } = runs;
useInstantAttempts();

test('processing lets the container cut only the file that the run has encoded', async () => {
  const encoded = { ...encodedOutput, format: 'opus_24', sha256: 'e'.repeat(64) };
  const script: Script = ({ path }) =>
    path === '/encode' ? answer(200, { ...encodeResult, outputs: [encoded] }) : answer(200, chunkResult(3));
  await run(script, { sourceUrl: 's3://media/in.wav', uploadUrlPrefix: 's3://media/out/' }, 'processing');
  const [chunkRequest] = runs.container?.requestsTo('POST', '/chunk') ?? [];
  expect(chunkRequest?.body).toMatchObject({ sourceSha256: encoded.sha256 });
});

test('processing has a budget per step and does not probe the file that it encoded', async () => {
  const encoded = { ...encodedOutput, format: 'opus_24', channels: 1, sampleRate: 24_000 };
  const script: Script = ({ path }, index) => {
    if (path === '/encode') return index < 3 ? busy(1000) : answer(200, { ...encodeResult, outputs: [encoded] });
    return index < 3 ? busy(1000) : answer(200, chunkResult(3));
  };
  const facts = { sourceSha256: 'a'.repeat(64), parallel: false };
  const input = { sourceUrl: 's3://media/in.wav', uploadUrlPrefix: 's3://media/out/', ...facts };
  const { result, log } = await run(script, input, 'processing');
  expect(result).toMatchObject({
    encoded: { ...encoded, url: 's3://media/out/encoded.ogg' },
    attempts: 8,
    rateLimitHits: 6,
    connectionErrors: 0,
    elapsedSeconds: 6000,
  });
  expect(result.chunks).toHaveLength(3);
  expect(result.chunks[2]).toMatchObject({ index: 2, status: 'completed', url: 's3://media/out/chunk-00002.ogg' });
  expect(runs.container?.requestsTo('POST', '/metadata')).toEqual([]);
  const [encodeRequest] = runs.container?.requestsTo('POST', '/encode') ?? [];
  expect(encodeRequest?.body).toEqual({
    ...facts,
    sourceUrl: 'https://s3.test/media/in.wav?X-Amz-get',
    outputs: [
      {
        format: 'opus_24',
        channels: 1,
        sampleRate: 24_000,
        deliver: 'on_demand',
      },
    ],
  });
  expect(log.filter((line) => line.startsWith('Processing'))).toEqual([
    'Processing attempt 1 for format opus_24 (0s elapsed)',
    'Processing attempt 2 for format opus_24 (1000s elapsed)',
    'Processing attempt 3 for format opus_24 (2000s elapsed)',
    'Processing attempt 4 for format opus_24 (3000s elapsed)',
    'Processing attempt 1 for 60s chunks (0s elapsed)',
    'Processing attempt 2 for 60s chunks (1000s elapsed)',
    'Processing attempt 3 for 60s chunks (2000s elapsed)',
    'Processing attempt 4 for 60s chunks (3000s elapsed)',
  ]);
});

test('the container receives the complete request of a workflow unchanged', async () => {
  // The types require every field of the request, so a new field of the schema must be added here.
  type OfAnalysis = keyof typeof analysisOptionsShape;
  const described: Required<
    Omit<
      RequestedOutput,
      | Exclude<OfAnalysis, 'quality'>
      | OfPackage
      | 'deliver'
      | 'format'
      | 'channels'
      | 'downmix'
      | 'sampleRate'
      | 'headers'
    >
  > = {
    preset: 'podcast-mp3-stereo',
    uploadUrl: 'https://media.test/out.mka',
    container: 'mka',
    audio: { codec: 'pcm', channels: 2, sampleRate: 48_000, bitDepth: 32, sampleFormat: 'float' },
    video: false,
    loudness: { integrated: -20, truePeak: -3, maxGain: 12 },
    metadata: { title: 'A talk', track: 3 },
    chapters: [{ start: 0, title: 'Welcome', url: 'https://media.test/welcome' }],
    cover: { url: 'https://media.test/cover.jpg', headers: { 'user-agent': 'studio' } },
    fragmented: true,
    watermark: {
      url: 'https://media.test/logo.png',
      headers: { 'user-agent': 'studio' },
      place: 'top-left',
      size: 0.2,
      opacity: 0.5,
      margin: 0.01,
    },
    presetSubtitles: true,
    subtitles: {
      keep: [0, 'deu'],
      add: [
        {
          url: 'https://media.test/en.srt',
          encoding: 'utf-8',
          clock: 'sound',
          language: 'eng',
          default: true,
          forced: false,
        },
      ],
      burn: { url: 'https://media.test/de.ass', headers: { 'user-agent': 'studio' } },
    },
    track: 'deu',
    trim: { start: 1, end: 2.5 },
    fade: { in: 0.1, out: 0.2 },
    silence: { trimStart: true, trimEnd: false, shortenTo: 0.5, threshold: -45 },
    level: 'speech',
    verify: 'full',
    quality: true,
    target: { vmaf: 95, percentile1: 85, per: 'scene' },
  };
  type OfPackage = keyof typeof packageOptionsShape | 'encryption';
  const packaged: Required<Pick<RequestedOutput, OfPackage | 'audio'>> = {
    package: ['hls', 'dash'],
    renditions: [{ height: 360, crf: 23, maxBitrate: 500 }],
    perTitle: true,
    segmentSeconds: 4,
    layout: 'byte_ranges',
    thumbnails: true,
    encryption: {
      scheme: 'cbcs',
      keyUrl: 'https://media.test/key',
      headers: { 'user-agent': 'studio' },
      keyId: 'a'.repeat(32),
      keyUri: 'skd://film',
      licenseUrl: 'https://media.test/licence',
    },
    audio: [{ codec: 'aac', bitrate: 96, track: 'deu', language: 'de', name: 'Deutsch' }],
  };
  const named: Required<
    Omit<
      RequestedOutput,
      OfAnalysis | 'deliver' | keyof typeof outputOptionsShape | 'preset' | 'presetSubtitles' | 'encryption'
    >
  > = {
    format: 'mp3_128',
    uploadUrl: 'https://media.test/out.mp3',
    channels: 1,
    downmix: 'left',
    sampleRate: 24_000,
    headers: { 'content-type': 'audio/x-own' },
  };
  type OfImage = 'image' | 'width' | 'height' | 'imageFormat' | 'colors';
  type OfFilm = 'at' | 'fit' | 'quality' | 'count' | 'interval' | 'cuts' | 'cutDuration';
  const poster: Required<Pick<RequestedOutput, 'image' | 'at' | 'fit' | 'quality' | 'width' | 'height' | 'uploadUrl'>> =
    {
      image: 'poster',
      uploadUrl: 'https://media.test/poster.jpg',
      at: '10%',
      fit: 'cover',
      quality: 70,
      width: 640,
      height: 640,
    };
  const preview: Required<Pick<RequestedOutput, 'image' | 'cuts' | 'cutDuration' | 'uploadUrl'>> = {
    image: 'preview',
    uploadUrl: 'https://media.test/preview.webp',
    cuts: 3,
    cutDuration: 0.5,
  };
  const peaks: Required<Pick<RequestedOutput, Exclude<OfAnalysis, OfImage | OfFilm> | 'uploadUrl'>> = {
    analysis: 'peaks',
    uploadUrl: 'https://media.test/peaks.dat',
    zoom: 512,
    bits: 8,
    splitChannels: true,
    dataFormat: 'dat',
    optional: true,
  };
  const image: Required<Pick<RequestedOutput, OfImage | 'uploadUrl'>> = {
    image: 'waveform',
    uploadUrl: 'https://media.test/waveform.svg',
    width: 640,
    height: 80,
    imageFormat: 'svg',
    colors: { background: '#000000', waveform: '#ffffff80' },
  };
  const request: Required<Omit<EncodeRequest, 'part'>> = {
    ...encodeInput,
    sourceUrl: 'https://media.test/in.wav',
    headers: { 'user-agent': 'studio' },
    outputs: [named, described, peaks, image, poster, preview, { ...packaged, deliver: 'on_demand' }],
    sourceSha256: 'a'.repeat(64),
    parallel: false,
  };
  const outputs = request.outputs.with(request.outputs.length - 1, {
    ...packaged,
    uploadUrlPrefix: 'file:///media/film/',
  } as RequestedOutput);
  const defining = ['format', 'preset', 'analysis', 'image', 'package'] as const;
  const made = request.outputs.map((output) => {
    const field = defining.find((name) => output[name] !== undefined) ?? 'format';
    return { ...encodedOutput, format: undefined, [field]: output[field] };
  });
  await run(inTurn(answer(200, { ...encodeResult, outputs: made })), { ...request, outputs, retry: { baseDelay: 5 } });
  expect(runs.container?.requestsTo('POST', '/encode')[0]?.body).toEqual(request);
});

test('the container receives the complete chunking request with the workflow’s defaults', async () => {
  const request = {
    sourceUrl: encodeInput.sourceUrl,
    sourceSha256: 'a'.repeat(64),
    chunkDuration: 30,
    chunks: [{ index: 0, uploadUrl: 'https://media.test/0.mp3' }],
  };
  await run(inTurn(answer(200, chunkResult(1))), { ...request, retry: { baseDelay: 5 } }, 'chunking');
  expect(runs.container?.requestsTo('POST', '/chunk')[0]?.body).toEqual({ ...request, overlapDuration: 2 });
});

test('chunking probes its source once, however often the container is busy', async () => {
  const script: Script = ({ path }, index) => {
    if (path === '/metadata') return answer(200, metadataResult);
    return index < 3 ? busy(5) : answer(200, chunkResult(3));
  };
  const input = { sourceUrl: 's3://media/in.mp3', uploadUrlPrefix: 's3://media/chunks/' };
  const { result, log } = await run(script, input, 'chunking');
  expect(runs.container?.requestsTo('POST', '/metadata')).toHaveLength(1);
  expect(result).toMatchObject({ totalChunks: 3, totalDuration: 130, attempts: 4, rateLimitHits: 3 });
  expect(result.chunks[0]).toMatchObject({ index: 0, url: 's3://media/chunks/chunk-00000.mp3' });
  expect(log[0]).toBe('Chunking attempt 1 for 60s chunks (0s elapsed)');
});

test.each([
  ['encode', { ...encodeResult, outputs: [encodedOutput, encodedOutput] }, encodeInput, '2 outputs instead of 1'],
  [
    'chunking',
    chunkResult(2),
    { sourceUrl: encodeInput.sourceUrl, chunks: [{ index: 0, uploadUrl: 'https://media.test/0.mp3' }] },
    '2 chunks instead of 1',
  ],
])('a result that does not match the request ends a run of %s', async (type, result, input, problem) => {
  const { failure } = await run(inTurn(answer(200, result)), input, type);
  expect(failure).toMatchObject({ type: 'UnexpectedReply', message: expect.stringContaining(problem) });
});
