import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type Connection } from 'ssh2';
import { freePort } from './ports.ts';
import { toolPath } from './tools.ts';
import type { LoginServer } from './webdav.ts';

const sftpServerPath = await toolPath('SFTP_SERVER_PATH');

export interface SftpServer extends LoginServer {
  /** `SHA256:…` of the host key */
  fingerprint: string;
  /** A private key that the server accepts for `media`. */
  privateKeyFile: string;
  /** Number of logins so far. */
  logins(): number;
  /** Number of packets of SSH with bytes for a sftp-server so far. */
  packets(): number;
  /** Ends all connections, as a network does. */
  reset(): void;
  /** Sends a signal to each sftp-server; the SSH connections stay. */
  signal(signal: NodeJS.Signals): void;
}

interface SftpOptions {
  isStuck?: boolean;
  /** A request of SFTP that the server lacks. */
  without?: string;
}

const password = 'sftp-pass-phrase';

function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** Makes a key pair of P-256. Of the ed25519 keys that ssh2 makes, three in a thousand cannot be read. */
function generateKey(): { private: string; public: Buffer } {
  const { privateKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
  });
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error) throw parsed;
  return { private: privateKey, public: parsed.getPublicSSH() };
}

/**
 * Serves a temp folder by OpenSSH's own sftp-server, behind an SSH server in this process. A server that `isStuck`
 * accepts logins, and never speaks SFTP.
 */
export async function startSftp({ isStuck = false, ...options }: SftpOptions = {}): Promise<SftpServer> {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-sftp-'));
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-sftp-files-'));
  const port = await freePort();
  const [host, user] = [generateKey(), generateKey()];
  const connections = new Set<Connection>();
  const servers = new Set<ChildProcess>();
  let [logins, packets] = [0, 0];
  const ssh = new ssh2.Server({ hostKeys: [host.private] }, (connection) => {
    connections.add(connection);
    // A client may reset the connection.
    connection.on('error', () => undefined).on('close', () => connections.delete(connection));
    connection.on('authentication', (asked) => {
      const isKnown =
        (asked.method === 'password' && asked.password === password) ||
        // ssh2 has checked the signature only if the caller verifies it; these tests trust the key.
        (asked.method === 'publickey' && asked.key.data.equals(user.public));
      if (isKnown && asked.username === 'media') asked.accept();
      else asked.reject(['password', 'publickey']);
    });
    connection.on('ready', () => {
      logins += 1;
      connection.on('session', (accept) => {
        accept().on('subsystem', (accept) => {
          const channel = accept();
          channel.on('data', () => (packets += 1));
          if (!isStuck) serve(channel, servers, options);
        });
      });
    });
  });
  // Otherwise each answer would wait 40 ms for another.
  const server = createServer({ noDelay: true }, (socket) => ssh.injectSocket(socket)).listen(port, '127.0.0.1');
  await once(server, 'listening');
  const name = `sftp://127.0.0.1:${port}`;
  const [loginsFile, privateKeyFile] = [join(home, 'logins.json'), join(home, 'key')];
  const fingerprint = fingerprintOf(host.public);
  await writeFile(loginsFile, JSON.stringify({ [name]: { user: 'media', password, hostKeys: [fingerprint] } }));
  await writeFile(privateKeyFile, user.private);
  const reset = (): void => connections.forEach((connection) => connection.end());
  return {
    server: name,
    root: `${name}${folder}`,
    folder,
    loginsFile,
    password,
    fingerprint,
    privateKeyFile,
    logins: () => logins,
    packets: () => packets,
    reset,
    signal: (signal) => servers.forEach((child) => child.kill(signal)),
    async stop() {
      reset();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([home, folder].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}

function serve(channel: ssh2.ServerChannel, servers: Set<ChildProcess>, { without }: SftpOptions): void {
  const args = ['-e', ...(without === undefined ? [] : ['-P', without])];
  const child: ChildProcessWithoutNullStreams = spawn(sftpServerPath, args, { stdio: 'pipe' });
  servers.add(child);
  channel.pipe(child.stdin);
  child.stdout.pipe(channel);
  // A stopped process ends by this signal alone.
  channel.on('close', () => child.kill('SIGKILL'));
  child.on('close', () => {
    servers.delete(child);
    channel.end();
  });
  child.stdin.on('error', () => undefined);
}
