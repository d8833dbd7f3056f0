import { copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { TestContainer } from '../../../support/container.ts';
import { speechWav } from '../../../support/media.ts';
import { useEncodes } from '../../../support/encodes.ts';
import { processesNaming } from '../../../support/ffmpeg-processes.ts';
import { stopAfterTest } from '../../../support/stop-after-all.ts';

const service = await useEncodes();
const { encode, expectNothingUploaded, file } = service;

describe('misbehaving ffmpeg', () => {
  const fake = (name: string) => fileURLToPath(new URL(`../../../fixtures/ffmpeg/${name}`, import.meta.url));

  async function withFfmpeg(
    path: string,
    run: (own: TestContainer) => Promise<void>,
    settings: Record<string, string> = {},
  ): Promise<void> {
    const own = await stopAfterTest(TestContainer.start({ FFMPEG_PATH: path, ...settings }));
    await copyFile(speechWav, file('speech.wav', own));
    await run(own);
    expect(await own.health()).toMatchObject({ activeJobs: 0 });
    expect(await own.jobFolders()).toEqual([]);
    expect((await processesNaming(own.scratchDir)).filter(({ command }) => command.includes('input'))).toEqual([]);
  }

  const someWishes = [{ format: 'wav' }, { format: 'flac' }];

  test.each([
    ['damages-one', ['mp3_64', 'aac_48', 'opus_24', 'flac', 'wav']],
    ['shortens-one', ['wav']],
  ])(
    'fails with output_invalid if ffmpeg %s, and uploads neither that output nor its sibling',
    async (name, formats) => {
      await withFfmpeg(fake(name), async (own) => {
        for (const format of formats) {
          const answer = await encode('speech.wav', [{ format: 'flac' }, { format }], {}, own);
          expect(answer).toMatchObject({ status: 422, body: { code: 'output_invalid', details: { format } } });
          await expectNothingUploaded('speech.wav', own);
        }
      });
    },
  );

  test('fails with stalled if ffmpeg hangs, and kills it', async () => {
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

  test.each(['hangs', 'deaf', 'leaves-a-child'])(
    'kills ffmpeg (%s) before it answers the cancellation',
    async (name) => {
      await withFfmpeg(fake(name), async (own) => {
        const held = encode('speech.wav', someWishes, {}, own);
        const jobId = await own.process.until('active job', async () => (await own.health()).jobs[0]);
        await own.process.until('ffmpeg', async () =>
          (await processesNaming(own.scratchDir)).some(({ command }) => command.includes(fake(name))),
        );
        expect(await own.call('DELETE', `/jobs/${jobId}`)).toMatchObject({ status: 200, body: { state: 'cancelled' } });
        expect(await held).toMatchObject({ status: 499, body: { code: 'cancelled' } });
      });
    },
  );

  test('fails with disk_full if ffmpeg meets a full disk at the end of an output and still exits with 0', async () => {
    await withFfmpeg(fake('fills-the-disk'), async (own) => {
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 503, body: { code: 'disk_full' } });
      await expectNothingUploaded('speech.wav', own);
    });
  });

  test('fails with ffmpeg_failed if ffmpeg crashes', async () => {
    await withFfmpeg(fake('dies'), async (own) => {
      const answer = await encode('speech.wav', someWishes, {}, own);
      expect(answer).toMatchObject({ status: 500, body: { code: 'ffmpeg_failed', details: { signal: 'SIGSEGV' } } });
    });
  });

  test('reports a missing ffmpeg in /ready and fails the job', async () => {
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
