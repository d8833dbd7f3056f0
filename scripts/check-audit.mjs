// `npm run check:audit`: whether weaknesses of the npm packages are known, by the registry. Ends with status 1 where one of high or critical
// severity is in what ships, and with 77 where the registry cannot be asked, such as a mirror: then nothing is known. The others are
// told and are no failure: they reach nobody but who works on Holdfast, or harm little, and a check that is red for them is soon not looked at.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './setup/places.mjs';

/** Written into the page, though npm counts them among the tools of development. */
export const packagesOfPage = ['@preact/signals', 'hls.js', 'preact', 'tus-js-client'];

/** The paths in a lock file of what ships: all that is not for development alone, and what the page is built of. */
function shippedPaths({ packages }) {
  const paths = new Set(Object.keys(packages).filter((path) => path !== '' && packages[path].dev !== true));
  const add = (from, name) => {
    // As Node looks it up: the nearest one.
    let folder = from;
    while (packages[`${folder}node_modules/${name}`] === undefined) {
      if (folder === '') return;
      folder = folder.replace(/node_modules\/(?:@[^/]+\/)?[^/]+\/$/, '');
    }
    const path = `${folder}node_modules/${name}`;
    if (paths.has(path)) return;
    paths.add(path);
    for (const dependency of Object.keys(packages[path].dependencies ?? {})) add(`${path}/`, dependency);
  };
  for (const name of packagesOfPage) add('', name);
  return paths;
}

function audit() {
  const { stdout, stderr } = spawnSync('npm', ['audit', '--json'], { cwd: projectRoot, encoding: 'utf8' });
  try {
    return JSON.parse(stdout);
  } catch {
    return { message: stderr.trim() };
  }
}

function main() {
  const { vulnerabilities, message, error } = audit();
  if (vulnerabilities === undefined) {
    const why = message ?? error?.summary ?? 'no reason given';
    console.error(
      `NOT CHECKED: the registry answers no questions about weaknesses (${why}). Ask again where registry.npmjs.org can be reached.`,
    );
    return 77;
  }
  const found = Object.values(vulnerabilities);
  for (const { name, severity, range, via } of found) {
    const titles = via.map((cause) => (typeof cause === 'string' ? cause : `${cause.title} (${cause.url})`));
    console.error(`${name} ${range}, ${severity}: ${titles.join('; ')}`);
  }
  const lock = JSON.parse(readFileSync(join(projectRoot, 'package-lock.json'), 'utf8'));
  const shipped = shippedPaths(lock);
  const serious = found.filter(
    ({ severity, nodes }) => ['high', 'critical'].includes(severity) && nodes.some((node) => shipped.has(node)),
  );
  console.log(
    `${found.length} of the npm packages have known weaknesses, ${serious.length} of them high or critical in what ships.`,
  );
  return serious.length === 0 ? 0 : 1;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) process.exitCode = main();
