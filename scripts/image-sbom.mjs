// Runs inside the image's build and prints one CycloneDX document of the image's contents. It reads npm's own record of
// the installation, because `npm sbom --omit=dev` omits packages that a development dependency needs as well (npm
// 11.19). A time and a serial number are left out, so that two builds are equal.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { npmLicense } from './npm-license.mjs';

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));
const compare = (one, other) => (one < other ? -1 : 1);
const { version, license } = readJson('package.json');

/** An SPDX expression has no lower-case words but these, and no sentence. */
function licenses(text) {
  if (text === undefined) return {};
  return {
    licenses: [
      /^[\w.+()-]+(?: (?:AND|OR|WITH) [\w.+()-]+)*$/.test(text) ? { expression: text } : { license: { name: text } },
    ],
  };
}

function hashes(integrity) {
  const [, digest] = /^sha512-(\S+)/.exec(integrity ?? '') ?? [];
  return digest === undefined
    ? {}
    : { hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }] };
}

/** npm's packages by their folders. Some were removed again. */
const folders = Object.fromEntries(
  Object.entries(readJson('node_modules/.package-lock.json').packages).filter(([path]) =>
    existsSync(`${path}/package.json`),
  ),
);

/** Folder in which Node finds a package that is imported in a folder: there, or in an outer one. */
function findFolder(from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const found = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`;
    if (found in folders) return found;
    if (folder === '') return undefined;
  }
}

/** References of a package's dependencies. Optional and peer dependencies may be absent. */
function npmDependencies(from, { dependencies, optionalDependencies, peerDependencies }) {
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names.map((name) => findFolder(from, name)).flatMap((path) => (path === undefined ? [] : [`npm:${path}`]));
}

const npm = Object.entries(folders).map(([path, facts]) => {
  const name = facts.name ?? path.replace(/^.*node_modules\//, '');
  return {
    component: {
      type: 'library',
      'bom-ref': `npm:${path}`,
      name,
      version: facts.version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${facts.version}`,
      ...hashes(facts.integrity),
      ...licenses(npmLicense(readJson(`${path}/package.json`))),
    },
    dependsOn: npmDependencies(path, facts),
  };
});

const format = ['Package', 'Version', 'Architecture', 'Provides', 'Pre-Depends', 'Depends']
  .map((field) => `\${${field}}`)
  .join('\t');
const installed = execFileSync('dpkg-query', ['--show', `--showformat=${format}\n`], { encoding: 'utf8' })
  .trimEnd()
  .split('\n')
  .map((line) => {
    const [name, debianVersion, architecture, provides, ...depends] = line.split('\t');
    return { name, debianVersion, architecture, ref: `deb:${name}:${architecture}`, provides, depends };
  });

/** Names of packages in a field such as `libc6 (>= 2.34), awk | mawk`, without versions. An empty field has none. */
const namesIn = (field) => [...field.matchAll(/(?:^|[,|])\s*([^\s,|:(]+)/g)].map(([, name]) => name);
const refsByName = new Map();
for (const { name, provides, ref } of installed) {
  for (const known of [name, ...namesIn(provides)]) refsByName.set(known, [...(refsByName.get(known) ?? []), ref]);
}

/** Names of licences in a package's copyright: those that it lists, or the common ones that it refers to. */
function debianLicenses(copyright) {
  if (!existsSync(copyright)) return {};
  const text = readFileSync(copyright, 'utf8');
  const listed = [...text.matchAll(/^License: *(\S.*?)\s*$/gim)];
  const common = [...text.matchAll(/\/usr\/share\/common-licenses\/([\w-]+(?:\.\d+)*)/g)];
  const names = new Set((listed.length > 0 ? listed : common).map(([, name]) => name));
  return {
    ...(names.size > 0 && { licenses: [...names].toSorted(compare).map((name) => ({ license: { name } })) }),
    properties: [{ name: 'debian:copyright', value: copyright }],
  };
}

const debian = installed.map(({ name, debianVersion, architecture, ref, depends }) => ({
  component: {
    type: 'library',
    'bom-ref': ref,
    name,
    version: debianVersion,
    purl: `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(debianVersion)}?arch=${architecture}`,
    ...debianLicenses(`/usr/share/doc/${name}/copyright`),
  },
  dependsOn: depends.flatMap(namesIn).flatMap((needed) => refsByName.get(needed) ?? []),
}));

/** Programs unknown to npm and dpkg. */
const [vmafWords] = execFileSync('/usr/local/bin/vmaf-ffmpeg', ['-version'], { encoding: 'utf8' }).split(' Copyright');
const programs = [
  { name: 'node', version: process.versions.node, ...licenses('MIT') },
  { name: 'vmaf-ffmpeg', version: vmafWords.replace('ffmpeg version ', ''), ...licenses('GPL-3.0-or-later') },
].map((program) => ({
  component: { type: 'application', 'bom-ref': `program:${program.name}`, ...program },
  dependsOn: [],
}));

const parts = [...npm, ...debian, ...programs];
const edges = [
  {
    ref: 'holdfast',
    dependsOn: [
      ...npmDependencies('', readJson('package.json')),
      ...['ca-certificates', 'ffmpeg', 'tini'].flatMap((name) => refsByName.get(name) ?? []),
      ...programs.map(({ component }) => component['bom-ref']),
    ],
  },
  ...parts.map(({ component, dependsOn }) => ({ ref: component['bom-ref'], dependsOn })),
];

const bom = {
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  metadata: {
    component: { type: 'container', 'bom-ref': 'holdfast', name: 'holdfast', version, ...licenses(license) },
  },
  components: parts
    .map(({ component }) => component)
    .toSorted((one, other) => compare(one['bom-ref'], other['bom-ref'])),
  dependencies: edges
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].toSorted(compare) }))
    .toSorted((one, other) => compare(one.ref, other.ref)),
};
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`);
