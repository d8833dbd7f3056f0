import { Ajv } from 'ajv';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ensureDefinitions, ensureKubernetesValidate } from '../../../scripts/setup/kubernetes-tools.mjs';
import { run } from '../../support/process.ts';
import type { Variant } from './variants.ts';

const kubernetesVersions = ['1.31', '1.36'];

/** Definitions have patterns of Go. JavaScript has no `(?i)` that holds for the rest of a pattern. */
const goPattern = Object.assign(
  (pattern: string, flags: string) => {
    const withoutFlag = pattern.replace('(?i)', '');
    return new RegExp(withoutFlag, withoutFlag === pattern ? flags : `${flags}i`);
  },
  { code: 'goPattern' },
);

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

/**
 * Validates against the schemas of Kubernetes (kubernetes-validate, strict: an unknown field is an error) and of custom
 * resources.
 */
export async function startSchemaCheck(scratch: string) {
  const python = await ensureKubernetesValidate();
  const schemas = await readSchemas(await ensureDefinitions());
  const ajv = new Ajv({ strict: false, validateFormats: false, code: { regExp: goPattern } });
  const file = join(scratch, 'manifests.yaml');
  return {
    async problemsOf({ resources }: Variant): Promise<string[]> {
      // JSON is YAML.
      await writeFile(file, resources.map((resource) => JSON.stringify(resource)).join('\n---\n'));
      const problems: string[] = [];
      for (const version of kubernetesVersions) {
        const args = ['-m', 'kubernetes_validate', '--strict', '--quiet', '--no-warn', '-k', version, file];
        const { output } = await run(python, args);
        problems.push(...output.split('\n').filter((text) => text !== ''));
      }
      for (const resource of resources) {
        const schema = schemas.get(`${resource.apiVersion} ${resource.kind}`);
        if (schema === undefined) continue;
        const validate = ajv.compile(schema);
        const isValid: boolean = validate(resource);
        if (!isValid) problems.push(`${resource.kind} ${resource.metadata.name}: ${ajv.errorsText(validate.errors)}`);
      }
      return problems;
    },
    async stop(): Promise<void> {},
  };
}

/** Makes a schema strict: a field that it does not name is an error. */
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

async function readSchemas(files: readonly string[]): Promise<Map<string, JsonSchema>> {
  const schemas = new Map<string, JsonSchema>();
  for (const file of files) {
    const { spec } = parse(await readFile(file, 'utf8')) as Definition;
    for (const version of spec.versions) {
      const schema = closeSchema(version.schema.openAPIV3Schema);
      // `metadata` is common to all resources and not in this schema.
      const properties = { ...schema.properties, metadata: {} };
      schemas.set(`${spec.group}/${version.name} ${spec.names.kind}`, { ...schema, properties });
    }
  }
  return schemas;
}
