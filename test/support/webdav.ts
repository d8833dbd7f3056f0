import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, isOpen } from './ports.ts';
import { TestProcess, testEnvironment } from './process.ts';
import { toolPath } from './tools.ts';

const rclonePath = await toolPath('RCLONE_PATH');

/** A real server with a temp folder, and the login file that Holdfast reads. */
export interface LoginServer {
  /** `webdav+http://127.0.0.1:…` */
  server: string;
  /** URL of `folder`, without a slash at its end. */
  root: string;
  /** Root of the server's files. */
  folder: string;
  /** Path for STORE_LOGINS_FILE. */
  loginsFile: string;
  password: string;
  stop(): Promise<void>;
}

export async function startWebdav(): Promise<LoginServer> {
  const home = await mkdtemp(join(tmpdir(), 'holdfast-webdav-'));
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-webdav-files-'));
  const password = 'webdav-pass-phrase';
  const port = await freePort();
  const args = ['serve', 'webdav', '--config', '/dev/null', '--addr', `127.0.0.1:${port}`];
  const process = new TestProcess(
    'WebDAV server',
    rclonePath,
    [...args, '--user', 'media', '--pass', password, folder],
    testEnvironment(),
  );
  await process.until('open port', () => isOpen(port));
  const server = `webdav+http://127.0.0.1:${port}`;
  const loginsFile = join(home, 'logins.json');
  await writeFile(loginsFile, JSON.stringify({ [server]: { user: 'media', password } }));
  return {
    server,
    root: server,
    folder,
    loginsFile,
    password,
    async stop() {
      await process.stop('SIGTERM', 5_000);
      await Promise.all([home, folder].map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}
