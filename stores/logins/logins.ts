import { parseRelayedUrl, serverOf } from '../../contract/relayed-url.ts';
import { freshFile } from '../fresh-file.ts';
import { LoginFailed } from '../store-error.ts';
import { type ParsedLogins, parseLogins, type SftpLogin, type WebdavLogin } from './parse-logins.ts';

/** The logins of STORE_LOGINS_FILE. A changed file counts without a restart. */
export class Logins {
  readonly #read: (() => Promise<ParsedLogins>) | undefined;

  constructor(path: string | undefined) {
    this.#read = path === undefined ? undefined : freshFile('STORE_LOGINS_FILE', path, requireLogins);
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
    if (this.#read === undefined) {
      throw new LoginFailed(`There is no login for ${server}: set STORE_LOGINS_FILE in the worker`);
    }
    const login = of(await this.#read()).get(server);
    if (login !== undefined) return login;
    throw new LoginFailed(`There is no login for ${server}: add it to STORE_LOGINS_FILE of the worker`);
  }
}

function requireLogins(text: string): ParsedLogins {
  const parsed = parseLogins(text);
  if (parsed.kind === 'logins') return parsed;
  throw new LoginFailed(`STORE_LOGINS_FILE of the worker is not valid: ${parsed.message}`);
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
