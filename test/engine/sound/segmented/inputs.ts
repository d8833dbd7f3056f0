import { longWav, makeOnce, musicOgg, speechWav, type LongWav } from '../../../support/media.ts';

export const music = (facts: Omit<LongWav, 'source'>) => longWav({ channels: 2, ...facts, source: musicOgg });
export const speech = (facts: Omit<LongWav, 'source'>) => longWav({ ...facts, source: speechWav });

/** Encodes a file; the extension decides the format. */
export async function encoded(wav: string, name: string, options: readonly string[] = []): Promise<string> {
  return await makeOnce(name, ['-i', wav, ...options]);
}
