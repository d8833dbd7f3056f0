// Runs inside the build of an image and prints one CycloneDX document of the image's contents:
//   node image-sbom.mjs <name of the image> <Debian package that the image asks for>…
// It reads npm's own record of the installation, because `npm sbom --omit=dev` omits packages that a development
// dependency needs as well (npm 11.19). A time and a serial number are left out, so that two builds are equal.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findFolder, installedFolders, readJson } from './npm-folders.mjs';
import { npmLicense } from './npm-license.mjs';
import { pythonPackages } from './python-packages.mjs';

const [image, ...askedOfDebian] = process.argv.slice(2);
const compare = (one, other) => (one < other ? -1 : 1);
const { version, license, ...manifest } = readJson('package.json');

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

/** npm's packages by their folders. The transcriber has none. */
const folders = existsSync('node_modules') ? installedFolders() : {};

/** References of a package's dependencies. Optional and peer dependencies may be absent. */
function npmDependencies(from, { dependencies, optionalDependencies, peerDependencies }) {
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return names
    .map((name) => findFolder(folders, from, name))
    .flatMap((path) => (path === undefined ? [] : [`npm:${path}`]));
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

const python = pythonPackages();
const pythonRefs = new Map(python.map(({ name }) => [name, `pypi:${name}`]));
const pythonComponents = python.map(({ name, version: pythonVersion, license: said, needs }) => ({
  component: {
    type: 'library',
    'bom-ref': pythonRefs.get(name),
    name,
    version: pythonVersion,
    purl: `pkg:pypi/${name}@${pythonVersion}`,
    ...licenses(said),
  },
  dependsOn: needs.flatMap((needed) => pythonRefs.get(needed) ?? []),
}));

/** Programs unknown to npm and dpkg. The transcriber has none, and only one variant of the image measures with VMAF. */
const vmafPath = '/usr/local/bin/vmaf-ffmpeg';
const vmafVersion = () => {
  const [words] = execFileSync(vmafPath, ['-version'], { encoding: 'utf8' }).split(' Copyright');
  return words.replace('ffmpeg version ', '');
};
const programs = [
  ...(npm.length > 0 ? [{ name: 'node', version: process.versions.node, ...licenses('MIT') }] : []),
  ...(existsSync(vmafPath) ? [{ name: 'vmaf-ffmpeg', version: vmafVersion(), ...licenses('GPL-3.0-or-later') }] : []),
].map((program) => ({
  component: { type: 'application', 'bom-ref': `program:${program.name}`, ...program },
  dependsOn: [],
}));

const parts = [...npm, ...debian, ...pythonComponents, ...programs];
const edges = [
  {
    ref: image,
    dependsOn: [
      ...npmDependencies('', manifest),
      ...askedOfDebian.flatMap((name) => refsByName.get(name) ?? []),
      ...pythonRefs.values(),
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
    component: { type: 'container', 'bom-ref': image, name: image, version, ...licenses(license) },
  },
  components: parts
    .map(({ component }) => component)
    .toSorted((one, other) => compare(one['bom-ref'], other['bom-ref'])),
  dependencies: edges
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: [...new Set(dependsOn)].toSorted(compare) }))
    .toSorted((one, other) => compare(one.ref, other.ref)),
};
process.stdout.write(`${JSON.stringify(bom, null, 1)}\n`);
