/** Provider whose keys `local/<model>` are answered by an engine on the worker's machine. */
export const localProvider = 'local';

/** Whisper tiny.en, which is installed with the engine. */
export const defaultLocalModel = 'tiny.en';

export const defaultLocalKey = `${localProvider}/${defaultLocalModel}` as const;

export function isLocalKey(key: string): boolean {
  return key.startsWith(`${localProvider}/`);
}
