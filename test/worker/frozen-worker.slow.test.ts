import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RunHistory } from '../support/history.ts';
import { musicOgg } from '../support/media.ts';
import { TestStack } from '../support/stack.ts';
import { stopAfterAll } from '../support/stop-after-all.ts';

const stack = await stopAfterAll(TestStack.start());
await copyFile(musicOgg, join(stack.container.mediaRoot, 'music.ogg'));
await stack.addWorker();

test('a frozen worker costs a run one lost task at most, and its healthy neighbour gets the container', async () => {
  const frozen = stack.worker.pid;
  process.kill(frozen, 'SIGSTOP');
  try {
    // The server gives tasks to the workers in turn, so one of two runs meets the frozen one.
    for (const name of ['first', 'second']) {
      const handle = await stack.run('encode', {
        sourceUrl: stack.container.fileUrl('music.ogg'),
        outputs: [{ format: 'mp3_128', uploadUrl: stack.container.fileUrl(name) }],
      });
      await handle.result();
      const history = await RunHistory.of(handle);
      expect(history.lostTasks()).toBeLessThanOrEqual(1);
      const [queued, followed] = ['encode', 'followJob'].map((activity) => history.secondsOf(activity)[0]);
      expect(followed! - queued!).toBeLessThan(10);
    }
  } finally {
    process.kill(frozen, 'SIGCONT');
  }
});
