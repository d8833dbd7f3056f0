import { join } from 'node:path';
import { fetchDebianFile } from './debian-file.mjs';
import { cacheFolder, isExecutableFile, namedByVariable } from './places.mjs';

const cached = () => join(cacheFolder(), 'sftp-server', 'sftp-server');

/** Places of OpenSSH's packages for Debian, Fedora, Alpine and Arch, and macOS. The program is never on PATH. */
const usualPlaces = [
  '/usr/lib/openssh/sftp-server',
  '/usr/libexec/openssh/sftp-server',
  '/usr/lib/ssh/sftp-server',
  '/usr/libexec/sftp-server',
];

/** Path of OpenSSH's sftp-server, which serves files in the tests, or undefined. */
export function findSftpServer() {
  return namedByVariable('SFTP_SERVER_PATH') ?? [...usualPlaces, cached()].find(isExecutableFile);
}

export async function fetchSftpServer() {
  return await fetchDebianFile({
    name: 'sftp-server',
    packageName: 'openssh-sftp-server',
    path: 'usr/lib/openssh/sftp-server',
    cached: cached(),
    purpose: 'serves files by SFTP',
    remedy: "Install OpenSSH's sftp-server, or name it in SFTP_SERVER_PATH, and run the command again.",
  });
}
