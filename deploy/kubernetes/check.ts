/**
 * `npm run check:kubernetes`: makes the manifests of each overlay, and of the base with each component, and holds them against the schemas
 * of Kubernetes (kubernetes-validate, strict: a field that nobody knows is an error) and of KEDA's resources.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { ensureKubernetesTools } from '../../scripts/setup/kubernetes-tools.mjs';

const kubernetesVersions = ['1.31', '1.36'];
const here = import.meta.dirname;
const { kustomize, python, kedaDefinitions } = await ensureKubernetesTools();
const run = promisify(execFile);

interface Resource {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
}

interface JsonSchema {
  type?: string;
  properties?: Record<string, JsonSchema>;
  items?: JsonSchema;
  additionalProperties?: JsonSchema | boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
}

interface Definition {
  spec: {
    group: string;
    names: { kind: string };
    versions: { name: string; schema: { openAPIV3Schema: JsonSchema } }[];
  };
}

/** As an API server that is strict: what the schema does not name is an error. */
function closeSchema(schema: JsonSchema): JsonSchema {
  const { properties, items } = schema;
  const isClosed = properties !== undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, closeSchema(inner)])),
    }),
    ...(items && { items: closeSchema(items) }),
    ...(isClosed && schema.additionalProperties === undefined && { additionalProperties: false }),
  };
}

async function readKedaSchemas(): Promise<Map<string, JsonSchema>> {
  const schemas = new Map<string, JsonSchema>();
  for (const name of await readdir(kedaDefinitions)) {
    const { spec } = parse(await readFile(join(kedaDefinitions, name), 'utf8')) as Definition;
    for (const version of spec.versions) {
      const schema = closeSchema(version.schema.openAPIV3Schema);
      // Of every resource, and not of this one.
      const properties = { ...schema.properties, metadata: {} };
      schemas.set(`${spec.group}/${version.name} ${spec.names.kind}`, { ...schema, properties });
    }
  }
  return schemas;
}

/** Folders that kustomize makes manifests of: the overlays, the base, and the base with one component each and with all of them. */
async function buildFolders(scratch: string): Promise<string[]> {
  const folders = [join(here, 'base')];
  for (const name of await readdir(join(here, 'overlays'))) folders.push(join(here, 'overlays', name));
  const components = (await readdir(join(here, 'components'))).toSorted();
  const sets = [...components.map((name) => ({ name, parts: [name] })), { name: 'all', parts: components }];
  for (const { name, parts } of sets) {
    const folder = join(scratch, name);
    await mkdir(folder);
    const pathTo = (path: string): string => relative(folder, join(here, path));
    const kustomization = {
      resources: [pathTo('base')],
      components: parts.map((part) => pathTo(`components/${part}`)),
    };
    await writeFile(join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    folders.push(folder);
  }
  return folders;
}

const schemas = await readKedaSchemas();
const ajv = new Ajv({ strict: false, validateFormats: false });
const scratch = await mkdtemp(join(here, '.check-'));
let problems = 0;
try {
  for (const folder of await buildFolders(scratch)) {
    const name = relative(folder.startsWith(scratch) ? scratch : here, folder);
    const { stdout: manifests } = await run(kustomize, ['build', '--load-restrictor', 'LoadRestrictionsNone', folder]);
    const file = join(scratch, 'manifests.yaml');
    await writeFile(file, manifests);
    const resources = parseAllDocuments(manifests).map((document) => document.toJS() as Resource);
    for (const version of kubernetesVersions) {
      const args = ['-m', 'kubernetes_validate', '--strict', '--quiet', '--no-warn', '-k', version, file];
      const found = await run(python, args).then(
        ({ stdout, stderr }) => stdout + stderr,
        ({ stdout, stderr }: { stdout: string; stderr: string }) => stdout + stderr,
      );
      for (const line of found.split('\n').filter((text) => text !== '')) {
        problems += 1;
        console.log(`${name}: ${line}`);
      }
    }
    for (const resource of resources) {
      const schema = schemas.get(`${resource.apiVersion} ${resource.kind}`);
      if (schema === undefined) continue;
      const validate = ajv.compile(schema);
      const isValid: boolean = validate(resource);
      if (isValid) continue;
      problems += 1;
      console.log(`${name}: ${resource.kind} ${resource.metadata.name}: ${ajv.errorsText(validate.errors)}`);
    }
    console.log(`${name}: ${resources.length} resources looked at`);
  }
} finally {
  await rm(scratch, { recursive: true, force: true });
}
console.log(problems === 0 ? 'Nothing is wrong with them.' : `${problems} problems`);
process.exitCode = problems === 0 ? 0 : 1;
