import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Agent } from 'undici';
import { expect, test } from 'vitest';
import { createLog } from '../../../process/log.ts';
import { createTransferCounters } from '../../../container/transfer/counters.ts';
import { uploadFile } from '../../../container/transfer/upload.ts';

/** `/dev/shm` is another file system than the temp folder, so that hard links to it fail. */
test.each([tmpdir(), '/dev/shm'])('stores files under %s with one mode, whatever their source has', async (root) => {
  const [scratch, media] = await Promise.all([mkdtemp(join(tmpdir(), 'scratch-')), mkdtemp(join(root, 'media-'))]);
  try {
    const modes: number[] = [];
    for (const mode of [0o600, 0o640, 0o644, 0o755]) {
      const path = join(scratch, `made-${mode}`);
      await writeFile(path, 'x');
      await chmod(path, mode);
      const target = join(media, `stored-${mode}`);
      await uploadFile(
        {
          ...{ path, uploadUrl: pathToFileURL(target).href, contentType: 'audio/wav' },
          digest: { size: 1, md5Base64: '' },
        },
        {
          ...{ jobId: 'a-job', dispatcher: new Agent(), mediaRoot: media, log: createLog('test', 'silent') },
          limits: { stallTimeoutMs: 1000, answerTimeoutMs: 1000 },
          counters: createTransferCounters(),
          signal: new AbortController().signal,
          onProgress: () => {},
        },
      );
      modes.push((await stat(target)).mode & 0o777);
    }
    expect(new Set(modes)).toEqual(new Set([0o666 & ~process.umask()]));
  } finally {
    await Promise.all([rm(scratch, { recursive: true }), rm(media, { recursive: true })]);
  }
});
