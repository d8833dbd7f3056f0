import { cachedProgram, goInstall } from './go-install.mjs';
import { isExecutableFile, namedByVariable, onPath } from './places.mjs';

const version = 'v2.12.0';

/** The path of toxiproxy, which breaks connections for the tests. */
export async function ensureToxiproxy() {
  const program = cachedProgram('toxiproxy-server', version);
  const found =
    namedByVariable('TOXIPROXY_PATH') ??
    onPath('toxiproxy-server') ??
    (isExecutableFile(program) ? program : undefined);
  if (found !== undefined) return found;
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
