import { readFile, stat } from 'node:fs/promises';
import { parseRelayedUrl, serverOf } from '../../contract/relayed-url.ts';
import { LoginFailed, StorageError } from '../store-error.ts';
import { type ParsedLogins, parseLogins, type SftpLogin, type WebdavLogin } from './parse-logins.ts';

/** Reads STORE_LOGINS_FILE at each use, so that a changed login counts without a restart. */
export class Logins {
  readonly #path: string | undefined;

  constructor(path: string | undefined) {
    this.#path = path;
  }

  /** Throws if there is no login for the server of this URL. */
  async sftp(url: string): Promise<SftpLogin> {
    return await this.#find(url, ({ sftp }) => sftp);
  }

  /** Throws if there is no login for the server of this URL. */
  async webdav(url: string): Promise<WebdavLogin> {
    return await this.#find(url, ({ webdav }) => webdav);
  }

  async #find<Login>(url: string, of: (logins: ParsedLogins) => ReadonlyMap<string, Login>): Promise<Login> {
    const place = parseRelayedUrl(url);
    if (place === undefined) throw new TypeError(`Not the URL of a file at a store: ${url}`);
    const server = serverOf(place);
    if (this.#path === undefined) {
      throw new LoginFailed(`There is no login for ${server}: set STORE_LOGINS_FILE in the worker`);
    }
    const login = of(await readLogins(this.#path)).get(server);
    if (login !== undefined) return login;
    throw new LoginFailed(`There is no login for ${server}: add it to STORE_LOGINS_FILE of the worker`);
  }
}

async function readLogins(path: string): Promise<ParsedLogins> {
  const text = await readText(path).catch((error: unknown) => {
    // A mounted secret may be absent for a moment while it is replaced.
    throw new StorageError('STORE_LOGINS_FILE of the worker cannot be read', true, { cause: error });
  });
  const parsed = parseLogins(text);
  if (parsed.kind === 'logins') return parsed;
  throw new LoginFailed(`STORE_LOGINS_FILE of the worker is not valid: ${parsed.message}`);
}

/** A pipe that has replaced the file would never end. */
async function readText(path: string): Promise<string> {
  if (!(await stat(path)).isFile()) throw new Error('it is not a file');
  return await readFile(path, 'utf8');
}

/** Why a process cannot start with the STORE_LOGINS_FILE that `read` returns; undefined if it can. */
export function loginsProblem(read: () => string): string | undefined {
  try {
    const parsed = parseLogins(read());
    return parsed.kind === 'bad' ? `is not valid: ${parsed.message}` : undefined;
  } catch {
    return 'cannot be read';
  }
}
