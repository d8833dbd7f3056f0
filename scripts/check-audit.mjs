// `npm run check:audit`: asks the registry for known weaknesses of the npm packages. The status is 1 if a shipped
// package has one of high or critical severity, and 77 if the registry, for example a mirror, cannot answer. Other
// weaknesses are printed and fail nothing: they reach only developers or do little harm, and a check that is often red
// is soon ignored.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectRoot } from './setup/places.mjs';

/** Packages that are built into the page, although npm counts them as development dependencies. */
export const packagesOfPage = ['@preact/signals', 'hls.js', 'preact', 'tus-js-client'];

/** Lock file paths of shipped packages: those that are not for development alone, and those built into the page. */
function shippedPaths({ packages }) {
  const paths = new Set(Object.keys(packages).filter((path) => path !== '' && packages[path].dev !== true));
  const add = (from, name) => {
    // Node looks up the nearest folder.
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
      `NOT CHECKED: the registry does not answer audits (${why}). Run the check where registry.npmjs.org can be reached.`,
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
