/** The largest event is the result of a chunk job. */
const maxEventChars = 16 * 1024 * 1024;

/** Yields the data of each Server-Sent Event; comments (keep-alives) and other fields are ignored. */
export async function* readEventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pending = '';
  let data: string[] = [];
  for await (const bytes of body) {
    const lines = (pending + decoder.decode(bytes, { stream: true })).split(/\r?\n/);
    pending = lines.pop() ?? '';
    if (pending.length > maxEventChars) throw new Error('An event of the container is too long');
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
      if (line === '' && data.length > 0) {
        yield data.join('\n');
        data = [];
      }
    }
  }
}
