import { errorOf, HoldfastError } from './holdfast-error.ts';

export interface HoldfastOptions {
  /**
   * Base URL of the server, such as `https://holdfast.example.com`. A page that the server itself serves needs none.
   */
  url?: string;
  /** Bearer token; a function is called before each request. */
  token?: string | (() => string | undefined);
}

export interface RequestOptions {
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

export class ServerConnection {
  readonly #url: string;
  readonly #token: HoldfastOptions['token'];

  constructor({ url = '', token }: HoldfastOptions) {
    this.#url = url.replace(/\/+$/, '');
    this.#token = token;
  }

  urlOf(path: string): string {
    return this.#url + path;
  }

  headers(): Record<string, string> {
    const token = typeof this.#token === 'function' ? this.#token() : this.#token;
    return token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  /** Throws a HoldfastError if the answer is an error or none arrives. */
  async request(method: string, path: string, { body, headers, signal }: RequestOptions = {}): Promise<Response> {
    const init: RequestInit = {
      method,
      headers: { ...this.headers(), ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    };
    const response = await fetch(this.urlOf(path), init).catch((cause: unknown) => {
      if (signal?.aborted === true) throw cause;
      throw new HoldfastError(`The server does not answer: ${this.urlOf(path)}`, { status: 0, cause });
    });
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}
