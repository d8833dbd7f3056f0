import { findGoProgram, goInstall } from './go-install.mjs';

const version = 'v2.12.0';

/** Path of toxiproxy, which breaks connections for the tests, or undefined. */
export function findToxiproxy() {
  return findGoProgram('TOXIPROXY_PATH', 'toxiproxy-server', version);
}

export async function buildToxiproxy() {
  return await goInstall({
    name: 'toxiproxy-server',
    // Go names a program after its folder.
    builtName: 'server',
    module: 'github.com/Shopify/toxiproxy/v2/cmd/server',
    version,
    title: 'Building toxiproxy, which breaks connections for the tests, with Go',
    expected: 'about a minute, once on this machine',
    remedy: 'Install toxiproxy-server so that it is on PATH, or name it in TOXIPROXY_PATH, and run the command again.',
  });
}
