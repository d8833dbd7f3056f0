import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

/** Output of `npm run build:page`. */
const builtFolder = fileURLToPath(new URL('../../page/dist', import.meta.url));

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  type: string;
  body: Buffer;
  gzip: Buffer;
}

/** All files of the page by path, held in memory. Empty if the page is not built. */
export function readBuiltPage(): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const path of listFiles()) {
    const type = types[extname(path)];
    if (type === undefined) continue;
    const body = readFileSync(join(builtFolder, path));
    files.set(`/${path}`, { type, body, gzip: gzipSync(body, { level: 9 }) });
  }
  return files;
}

function listFiles(): string[] {
  try {
    return readdirSync(builtFolder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
}
