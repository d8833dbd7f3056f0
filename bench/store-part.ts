/**
 * A part of `npm run bench:stores` in a process of its own, as in a deployment: `sftp` is a server, and
 * `relay <logins file> <port> <key>` is the relay of a worker. Prints a line of JSON when it is ready.
 */
import { openRelay } from '../test/support/relay.ts';
import { startSftp } from '../test/support/sftp.ts';

const [part, loginsFile = '', port = '', key = ''] = process.argv.slice(2);
const running = part === 'sftp' ? await startSftp() : await openRelay(loginsFile, { port: Number(port), key });
process.once('SIGTERM', () => void running.stop().then(() => process.exit(0)));
const facts = 'root' in running ? running : {};
console.log(JSON.stringify({ msg: 'ready', ...facts }));
