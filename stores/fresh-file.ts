import { readFile, stat } from 'node:fs/promises';

/** Returns a function that parses the file, again after each change: credentials are renewed without a restart. */
export function freshFile<Content>(path: string, parse: (text: string) => Content): () => Promise<Content> {
  let known: { version: string; content: Content } | undefined;
  return async () => {
    const { mtimeNs, size, ino } = await stat(path, { bigint: true });
    const version = `${mtimeNs}:${size}:${ino}`;
    if (known?.version !== version) known = { version, content: parse(await readFile(path, 'utf8')) };
    return known.content;
  };
}
