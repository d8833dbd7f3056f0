import type { Settings } from '../settings.ts';
import { freePort } from './ports.ts';

/** Port beside those of the other parts; another free port is used if it is taken. */
const usualPort = 8090;

/** Variables by which the stack's containers reach files of stores that sign nothing. */
export interface LocalRelay {
  worker: Record<string, string>;
  containers: Record<string, string>;
}

/** The relay is a part of the stack's worker. Nothing is set without logins, or if the user names a relay. */
export async function chooseRelay({ inheritedEnvironment: given }: Settings): Promise<LocalRelay> {
  if ((given['STORE_LOGINS_FILE'] ?? '') === '' || (given['RELAY_URL'] ?? '') !== '')
    return { worker: {}, containers: {} };
  const port = await freePort(usualPort);
  const allowed = given['ALLOW_PRIVATE_ADDRESSES'] ?? '';
  return {
    worker: { RELAY_URL: `http://127.0.0.1:${port}`, RELAY_PORT: `${port}` },
    // Other ports of this machine stay refused.
    containers: { ALLOW_PRIVATE_ADDRESSES: [allowed, `127.0.0.1:${port}`].filter((entry) => entry !== '').join(',') },
  };
}
