import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The tokens of two owners, one of which has a second that may only read, and one of no owner. */
const [anna, bert, reader, all] = ['anna', 'bert', 'reader', 'all'].map((name) => `${name}-0123456789abcdef`);
export { all, anna, bert, reader };

export const bearer = (token = ''): Record<string, string> => ({ authorization: `Bearer ${token}` });

/** Answers the path of a file for SERVER_TOKENS_FILE. */
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
