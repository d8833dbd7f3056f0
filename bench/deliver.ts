/**
 * How fast does a file that is too large for one PUT reach its store, and how much of it does the container hold in
 * memory? A WAV of a little over 6 GiB is delivered on demand in parts of 32 MiB to a real S3 server (versitygw) on
 * this machine. For comparison, curl sends the same file with one PUT for each part, one after the other. Needs 25 GiB
 * of free disk.
 */
import { execFile } from 'node:child_process';
import { copyFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signParts } from '../activities/storage/part-urls.ts';
import { planParts, usualPartSizes } from '../contract/part-plan.ts';
import { openS3Store } from '../stores/s3/s3-store.ts';
import { TestContainer } from '../test/support/container.ts';
import { run } from '../test/support/process.ts';
import { startS3, versitygw } from '../test/support/s3.ts';
import { peakMebibytes } from './process-memory.ts';
import { inUnit, ratio, report } from './report.ts';

const execute = promisify(execFile);

/** 96 kHz, 8 channels and 16 bits make gigabytes fast. The argument is GiB, 6 by default. */
const bytesPerSecond = 96_000 * 8 * 2;
const gibibytes = Number(process.argv[2] ?? 6);
const seconds = Math.ceil((gibibytes * 1024 ** 3) / bytesPerSecond) + 1;

const s3 = await startS3(['media'], await versitygw());
const container = await TestContainer.start({ JOB_TIMEOUT_SECONDS: '7200' });
Object.assign(process.env, s3.environment);
const store = openS3Store({ AWS_ENDPOINT_URL_S3: s3.endpoint }, 7200);
try {
  const input = join(container.mediaRoot, 'in.flac');
  const silence = `anullsrc=r=96000:cl=7.1:d=${seconds}`;
  const made = await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', silence, '-sample_fmt', 's16', input], {
    timeoutMs: 3_600_000,
  });
  if (made.code !== 0) throw new Error(made.output);
  const jobId = await container.submit('/encode', {
    sourceUrl: container.fileUrl('in.flac'),
    outputs: [{ format: 'wav', deliver: 'on_demand' }],
  });
  let job = await container.job(jobId);
  while (job.state === 'running' && job.wanted === undefined) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    job = await container.job(jobId);
  }
  if (job.state !== 'running') throw new Error(`the encode ended: ${JSON.stringify(job)}`);
  const [wanted] = job.wanted ?? [];
  if (wanted === undefined) throw new Error('nothing is wanted');
  // curl gets a link to the bytes, because the job removes its file.
  const [folder = ''] = await readdir(container.scratchDir);
  const copy = join(container.mediaRoot, 'copy.wav');
  await copyFile(join(container.scratchDir, folder, jobId, 'output-0'), copy);

  const plan = planParts(wanted.size, usualPartSizes);
  if (plan === undefined) throw new Error('it is small enough for one PUT');
  const uploadOf = async (key: string) => {
    const { contentType } = wanted;
    const uploadId = await store.beginUpload(`s3://media/${key}`, { contentType }, AbortSignal.timeout(10_000));
    return await signParts(store, `s3://media/${key}`, uploadId, plan.parts);
  };
  const urls = { output: 0, name: '', partSize: plan.partSize, ...(await uploadOf('large.wav')) };
  const peakBefore = peakMebibytes(container.process.pid);
  const startedMs = performance.now();
  const answer = await container.call('POST', `/jobs/${jobId}/upload-urls`, { urls: [urls] });
  if (answer.status !== 202) throw new Error(JSON.stringify(answer.body));
  while (job.state === 'running') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    job = await container.job(jobId);
  }
  const deliverSeconds = (performance.now() - startedMs) / 1000;
  if (job.state !== 'succeeded') throw new Error(`the delivery failed: ${JSON.stringify(job)}`);
  const stored = (await stat(join(s3.folder, 'media', 'large.wav'))).size;
  if (stored !== wanted.size) throw new Error(`${stored} bytes are stored instead of ${wanted.size}`);
  await rm(join(s3.folder, 'media', 'large.wav'));

  const { partUrls } = await uploadOf('by-curl.wav');
  const curlMs = performance.now();
  for (const [index, url] of partUrls.entries()) {
    const skip = `dd if=${copy} bs=${plan.partSize} skip=${index} count=1 status=none | curl -sf -T - -H "Content-Length: $0" -H "Transfer-Encoding:" "$1" -o /dev/null`;
    const size = Math.min(plan.partSize, wanted.size - index * plan.partSize);
    await execute('sh', ['-c', skip, String(size), url]);
  }
  const curlSeconds = (performance.now() - curlMs) / 1000;
  const mebibytes = wanted.size / 1024 ** 2;
  report('delivery', `${gibibytes} GiB in ${plan.parts} parts`, {
    rate: inUnit('MiB/s', mebibytes / deliverSeconds),
    "of curl's rate": ratio([mebibytes / deliverSeconds], [mebibytes / curlSeconds], 'curl'),
    'peak memory': inUnit('MiB', peakMebibytes(container.process.pid)),
    'peak before': inUnit('MiB', peakBefore),
  });
} finally {
  await container.stop();
  await s3.stop();
}
