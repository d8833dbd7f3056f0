import { expect, test } from 'vitest';
import type { Frame } from '../../../../engine/formats/mp3/frame.ts';
import { FrameWriter } from '../../../../engine/formats/mp3/frame-writer.ts';
import type { InfoCounter } from '../../../../engine/formats/mp3/info-counter.ts';
import type { OutputFile } from '../../../../engine/formats/output-file.ts';

test('fills gaps in the main data and writes frames also after 2^31 bits', async () => {
  let written = 0;
  const output: Pick<OutputFile, 'append'> = { append: async (bytes) => void (written += bytes.length) };
  const counter: Pick<InfoCounter, 'add'> = { add: () => undefined };
  const writer = new FrameWriter(output as OutputFile, counter as InfoCounter);
  // Frames of 32 MiB reach the position of days of sound after a few.
  const bytes = Buffer.alloc(2 ** 25, 0x55);
  const gapBits = 16;
  const frame = { header: { mainDataAt: 0 }, bytes, mainDataBegin: 0, mainDataBits: bytes.length * 8 - gapBits };
  const count = 9;
  await writer.appendFirst(frame as Frame, Buffer.alloc(0));
  for (let appended = 1; appended < count; appended += 1) await writer.append(frame as Frame);
  await writer.finish();
  expect(written).toBe(count * bytes.length);
});
