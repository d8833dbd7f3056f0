import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { speechWav } from '../../../support/media.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { processesNaming } from '../../../support/media-files.ts';

const service = useEncodes();
const { encode, expectNothingUploaded, file } = service;

describe('an ffmpeg that misbehaves', () => {
  const fake = (name: string) => fileURLToPath(new URL(`../../../fixtures/ffmpeg/${name}`, import.meta.url));

  /** A container of its own, with this ffmpeg. */
  async function withFfmpeg(
    path: string,
    run: (own: TestContainer) => Promise<void>,
    settings: Record<string, string> = {},
  ): Promise<void> {
    const own = await TestContainer.start({ FFMPEG_PATH: path, ...settings });
    try {
      await copyFile(speechWav, file('speech.wav', own));
      await run(own);
      expect(await own.health()).toMatchObject({ activeJobs: 0 });
      expect(await own.jobFolders()).toEqual([]);
      expect((await processesNaming(own.scratchDir)).filter((line) => line.includes('input'))).toEqual([]);
    } finally {
      await own.stop();
    }
  }

  const someWishes = [{ format: 'wav' }, { format: 'flac' }];

  test.each([
    ['damages-one', ['mp3_64', 'aac_48', 'opus_24', 'flac', 'wav']],
    ['shortens-one', ['wav']],
  ])('that %s makes output_invalid, and neither that output nor its sibling is uploaded', async (name, formats) => {
    await withFfmpeg(fake(name), async (own) => {
      for (const format of formats) {
        const answer = await encode('speech.wav', [{ format: 'flac' }, { format }], {}, own);
        expect(answer).toMatchObject({ status: 422, body: { code: 'output_invalid', details: { format } } });
        await expectNothingUploaded('speech.wav', own);
      }
    });
  });

  test('that hangs is stalled, and is gone', async () => {
    await withFfmpeg(
      fake('hangs'),
      async (own) => {
        expect(await encode('speech.wav', someWishes, {}, own)).toMatchObject({
          status: 504,
          body: { code: 'stalled' },
        });
      },
      { STALL_TIMEOUT_SECONDS: '1' },
    );
  });

  test.each(['hangs', 'deaf', 'leaves-a-child'])('that %s is gone when its cancel is answered', async (name) => {
    await withFfmpeg(fake(name), async (own) => {
      const held = encode('speech.wav', someWishes, {}, own);
      const jobId = await own.process.until('active job', async () => (await own.health()).jobs[0]);
      await own.process.until('ffmpeg', async () =>
        (await processesNaming(own.scratchDir)).some((line) => line.includes(fake(name))),
      );
      expect(await own.call('DELETE', `/jobs/${jobId}`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
      expect(await held).toMatchObject({ status: 499, body: { code: 'cancelled' } });
    });
  });

  test('that meets a full disk at the end of an output and still ends with status 0 is disk_full', async () => {
    await withFfmpeg(fake('fills-the-disk'), async (own) => {
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } });
      await expectNothingUploaded('speech.wav', own);
    });
  });

  test('that dies is ffmpeg_failed', async () => {
    await withFfmpeg(fake('dies'), async (own) => {
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 500, body: { code: 'ffmpeg_failed', details: { signal: 'SIGSEGV' } } });
    });
  });

  test('that is not there makes /ready say so, and a job fail', async () => {
    await withFfmpeg('/nowhere/ffmpeg', async (own) => {
      const ready = await own.call('GET', '/ready');
      expect(ready).toMatchObject({ status: 503, body: { reason: expect.stringContaining('ffmpeg') } });
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 500, body: { code: 'ffmpeg_failed' } });
      expect(JSON.stringify([ready.body, answer.body])).not.toContain('/nowhere');
      expect((await own.call('GET', '/health')).status).toBe(200);
    });
  });
});
