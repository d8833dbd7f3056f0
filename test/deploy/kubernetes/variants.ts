import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '../../support/process.ts';
import { projectRoot } from '../../support/project-files.ts';

export interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** A folder for `kubectl apply -k`. */
export interface Variant {
  name: string;
  resources: Resource[];
}

const source = join(projectRoot, 'deploy/kubernetes');

/**
 * Builds the base, each overlay, and the base with each component and with all. `scratch` is the real path of an empty
 * folder.
 */
export async function buildVariants(kustomize: string, scratch: string): Promise<Variant[]> {
  const variants: Variant[] = [];
  for (const [name, folder] of await writeKustomizations(scratch)) {
    const args = ['build', '--load-restrictor', 'LoadRestrictionsNone', folder];
    const { code, output } = await run(kustomize, args);
    if (code !== 0) throw new Error(`${name}: ${output}`);
    const resources = parseAllDocuments(output).map((document) => document.toJS() as Resource);
    variants.push({ name, resources });
  }
  return variants;
}

async function writeKustomizations(scratch: string): Promise<[name: string, folder: string][]> {
  const overlays = (await readdir(join(source, 'overlays'))).toSorted();
  const folders: [string, string][] = ['base', ...overlays.map((name) => `overlays/${name}`)].map((name) => [
    name,
    join(source, name),
  ]);
  const components = (await readdir(join(source, 'components'))).toSorted();
  const sets = [
    ...components.map((name) => ({ name: `components/${name}`, parts: [name] })),
    { name: 'all components', parts: components },
  ];
  for (const { name, parts } of sets) {
    const folder = join(scratch, name);
    await mkdir(folder, { recursive: true });
    const pathTo = (path: string): string => relative(folder, join(source, path));
    const kustomization = {
      resources: [pathTo('base')],
      components: parts.map((part) => pathTo(`components/${part}`)),
    };
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    folders.push([name, folder]);
  }
  return folders;
}
