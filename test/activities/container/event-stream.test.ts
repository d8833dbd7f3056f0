import { expect, test } from 'vitest';
import { readEventData } from '../../../activities/container/event-stream.ts';

async function* bytesOf(chunks: readonly (string | Uint8Array)[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
}

async function eventsOf(chunks: readonly (string | Uint8Array)[]): Promise<string[]> {
  const events: string[] = [];
  for await (const data of readEventData(bytesOf(chunks))) events.push(data);
  return events;
}

const euro = new TextEncoder().encode('data: €\n\n');

test.each<[string, (string | Uint8Array)[], string[]]>([
  ['one event', ['data: {"a":1}\n\n'], ['{"a":1}']],
  ['events split between two reads', ['da', 'ta: 1\n', '\ndata:2\n\nda'], ['1', '2']],
  ['a character split between two reads', [euro.subarray(0, 7), euro.subarray(7)], ['€']],
  ['events between comments and other fields', [': keep-alive\n\nevent: job\nid: 7\ndata: 1\n\n'], ['1']],
  ['lines that end with a carriage return', ['data: 1\r\n\r\n'], ['1']],
  ['an event of several lines', ['data: 1\ndata: 2\n\n'], ['1\n2']],
  ['a broken stream, without its incomplete event', ['data: 1\n'], []],
])('reads the data of %s', async (_, chunks, expected) => {
  expect(await eventsOf(chunks)).toEqual(expected);
});

test('rejects an endless line', async () => {
  const endless = Array.from({ length: 17 }, () => 'x'.repeat(1024 * 1024));
  await expect(eventsOf(endless)).rejects.toThrow('too long');
});
