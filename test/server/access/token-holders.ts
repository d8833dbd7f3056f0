import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Tokens: one for each of two owners, a read-only one of anna, and one without an owner. */
const [anna, bert, reader, all] = ['anna', 'bert', 'reader', 'all'].map((name) => `${name}-0123456789abcdef`);
export { all, anna, bert, reader };

export const bearer = (token = ''): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Writes a file for SERVER_TOKENS_FILE and returns its path. */
export async function writeTokens(folder: string): Promise<string> {
  const file = join(folder, 'tokens.json');
  const tokens = [
    { token: anna, scopes: ['read', 'run'], owner: 'anna' },
    { token: bert, scopes: ['read', 'run'], owner: 'bert' },
    { token: reader, scopes: ['read'], owner: 'anna' },
    { token: all, scopes: ['read', 'run'] },
  ];
  await writeFile(file, JSON.stringify(tokens));
  return file;
}
