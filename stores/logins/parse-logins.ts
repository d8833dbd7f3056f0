import { z } from 'zod';
import { parseRelayedUrl, serverOf } from '../../contract/relayed-url.ts';
import { isRecord, parseJson } from '../../contract/unknown-values.ts';

const Text = z.string().min(1, { error: 'must not be empty' });

/** Fingerprint of a host key, as `ssh-keygen -l` prints it. */
const Fingerprint = z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, {
  error: 'must be SHA256: and 43 characters, as ssh-keygen -l prints it',
});

const SftpLogin = z
  .strictObject({
    user: Text,
    password: Text.optional(),
    privateKeyFile: Text.optional(),
    passphrase: Text.optional(),
    /** If the list is empty, the server is refused, and the error names its fingerprint. */
    hostKeys: z.array(Fingerprint).default([]),
  })
  .refine(({ password, privateKeyFile }) => (password === undefined) !== (privateKeyFile === undefined), {
    error: 'must have either password or privateKeyFile',
  });
export type SftpLogin = z.infer<typeof SftpLogin>;

/** RFC 7617 ends the name at its first colon. */
const BasicUser = Text.regex(/^[^:]*$/, { error: 'must not have a colon' });
/** No header can carry other characters, such as the line break at the end of a file. */
const BearerToken = Text.regex(/^[\x21-\x7e]*$/, { error: 'must be printable ASCII without spaces' });

const WebdavLogin = z.union(
  [z.strictObject({ user: BasicUser, password: Text }), z.strictObject({ token: BearerToken })],
  { error: 'must have either user and password, or token' },
);
export type WebdavLogin = z.infer<typeof WebdavLogin>;

/** Logins by server, such as `sftp://nas.example.com`. */
export interface ParsedLogins {
  kind: 'logins';
  sftp: ReadonlyMap<string, SftpLogin>;
  webdav: ReadonlyMap<string, WebdavLogin>;
}

/** The message never has a value of the file, which may be a secret. */
interface BadLogins {
  kind: 'bad';
  message: string;
}

/** Reads the text of a STORE_LOGINS_FILE. */
export function parseLogins(text: string): ParsedLogins | BadLogins {
  const entries = parseJson(text);
  if (!isRecord(entries)) return { kind: 'bad', message: 'it is not a JSON object' };
  const sftp = new Map<string, SftpLogin>();
  const webdav = new Map<string, WebdavLogin>();
  for (const [name, value] of Object.entries(entries)) {
    const place = parseRelayedUrl(name);
    if (place?.path !== '/') {
      const message = 'a name is not a server such as sftp://nas.example.com or webdav+https://dav.example.com';
      return { kind: 'bad', message };
    }
    const server = serverOf(place);
    if (sftp.has(server) || webdav.has(server)) return { kind: 'bad', message: `${server} has two logins` };
    const error = place.scheme === 'sftp' ? add(SftpLogin, sftp) : add(WebdavLogin, webdav);
    if (error !== undefined) return { kind: 'bad', message: error };

    function add<Login>(schema: z.ZodType<Login>, logins: Map<string, Login>): string | undefined {
      const login = schema.safeParse(value);
      if (login.success) logins.set(server, login.data);
      const issue = login.error?.issues[0];
      return issue === undefined ? undefined : `${[server, ...issue.path.map(String)].join(' ')} ${sentence(issue)}`;
    }
  }
  return { kind: 'logins', sftp, webdav };
}

/** Zod's own messages repeat unknown names of fields, and such a name may be a misplaced secret. */
function sentence({ code, message }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys') return 'has a field that no login has';
  return code === 'invalid_type' ? 'has the wrong type' : message;
}
