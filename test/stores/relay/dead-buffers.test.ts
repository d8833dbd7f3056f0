import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { DeadBuffers } from '../../../stores/relay/dead-buffers.ts';

const mebibyte = 1024 ** 2;

test('keeps few of the buffers that a transfer no longer needs', async () => {
  const before = process.memoryUsage().arrayBuffers;
  const end = new DeadBuffers().begin();
  let most = 0;
  // Without the collections V8 keeps more than 60 MiB.
  for (let passed = 0; passed < 200; passed += 1) {
    for (let piece = 0; piece < 16; piece += 1) Buffer.allocUnsafe(64 * 1024);
    await delay(1);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  end();
  expect(most / mebibyte).toBeLessThan(48);
});
