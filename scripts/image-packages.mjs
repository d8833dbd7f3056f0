// Runs inside the image's build: removes the npm packages that no role needs at run time.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { findFolder, installedFolders, readJson } from './npm-folders.mjs';

/** Temporal's worker bundles workflows with these packages. The image has its bundles already. */
const bundlers = new Set(['@swc/core', 'memfs', 'source-map-loader', 'swc-loader', 'unionfs', 'webpack']);
/** Bundlers that Temporal's worker loads even if it bundles nothing. Empty packages replace them. */
const loaded = ['memfs', 'unionfs', 'webpack'];

const folders = installedFolders();
const needed = new Set();
function need(from, { dependencies, peerDependencies }) {
  // Optional packages are left out: Redis stores of tus, and native code of ssh2 that nothing has compiled.
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    const folder = bundlers.has(name) ? undefined : findFolder(folders, from, name);
    if (folder === undefined || needed.has(folder)) continue;
    needed.add(folder);
    need(folder, folders[folder]);
  }
}
need('', readJson('package.json'));

// A package inside a removed one is needed by that one alone.
for (const folder of Object.keys(folders)) if (!needed.has(folder)) rmSync(folder, { recursive: true, force: true });
rmSync('node_modules/.bin', { recursive: true, force: true });
for (const name of loaded) {
  mkdirSync(`node_modules/${name}`);
  writeFileSync(`node_modules/${name}/index.js`, '// The image bundles no workflows.\nmodule.exports = {};\n');
}
