// `npm run check:audit`: whether weaknesses of the npm packages are known, by the registry. Ends with status 1 where there are any, and with
// 2 where the registry cannot be asked, such as a mirror: then nothing is known.
import { spawnSync } from 'node:child_process';
import { projectRoot } from './setup/places.mjs';

const { stdout, stderr } = spawnSync('npm', ['audit', '--json'], { cwd: projectRoot, encoding: 'utf8' });

function answered() {
  try {
    return JSON.parse(stdout);
  } catch {
    return { message: stderr.trim() };
  }
}

const { vulnerabilities, message } = answered();
if (vulnerabilities === undefined) {
  const why = message ?? 'no reason given';
  console.error(
    `NOT CHECKED: the registry answers no questions about weaknesses (${why}). Ask again where registry.npmjs.org can be reached.`,
  );
  process.exit(2);
}
const found = Object.values(vulnerabilities);
for (const { name, severity, range, via } of found) {
  const titles = via.map((cause) => (typeof cause === 'string' ? cause : `${cause.title} (${cause.url})`));
  console.error(`${name} ${range}, ${severity}: ${titles.join('; ')}`);
}
console.log(`${found.length} of the npm packages have known weaknesses.`);
process.exit(found.length === 0 ? 0 : 1);
