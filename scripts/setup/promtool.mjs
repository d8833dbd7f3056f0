import { join } from 'node:path';
import { fetchDebianFile } from './debian-file.mjs';
import { cacheFolder, isExecutableFile, namedByVariable, onPath } from './places.mjs';

const cached = () => join(cacheFolder(), 'promtool', 'promtool');

/** Path of promtool, which checks metrics and alerting rules in the tests, or undefined. */
export function findPromtool() {
  return namedByVariable('PROMTOOL_PATH') ?? onPath('promtool') ?? (isExecutableFile(cached()) ? cached() : undefined);
}

export async function fetchPromtool() {
  return await fetchDebianFile({
    name: 'promtool',
    packageName: 'prometheus',
    path: 'usr/bin/promtool',
    cached: cached(),
    purpose: 'checks alerting rules',
    remedy:
      'Install promtool (of Prometheus) so that it is on PATH, or name it in PROMTOOL_PATH, and run the command again.',
  });
}
