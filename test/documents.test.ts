import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statusByErrorCode } from '../contract/error-codes.ts';
import { defaultRetryPolicy } from '../workflows/run/retry-policy.ts';
import { drawFigures, figureChart } from './documents/figure-chart.ts';
import { identitySettings } from './documents/generated-tables.ts';
import { documentsWithTables, toWrite, withTables } from './documents/tables.ts';
import { anchorOf, documents, headingsOf, prose } from './support/documents.ts';
import { filesIn, projectRoot, textOf } from './support/project-files.ts';

/** Folders of our code. */
const codeFolders = [
  ...['contract', 'container', 'engine', 'stores', 'workflows', 'activities', 'client', 'network', 'process', 'codec'],
  ...['tracing', 'worker', 'server', 'api-client', 'page', 'cli', 'examples', 'test', 'bench', 'deploy', 'scripts'],
].filter((folder) => existsSync(projectRoot + folder));

const codeFiles = codeFolders
  .flatMap((folder) => filesIn(folder))
  .filter((path) => /\.(?:tsx?|mjs|sh)$|\/(?:guarded|sandboxed)$/.test(path) && path !== 'test/documents.test.ts')
  // Its faults include false citations.
  .filter((path) => path !== 'test/gates/document-gates.ts');

/** `docs/reference/urls.md, "Uploads"`, also across two lines of a comment; or a whole page, without a heading. */
const citation = /\b((?:docs\/[\w./-]+|[A-Z]{4,})\.md)(?:,?\s+(?:(?:\*|\/\/|#)\s+)?"([^"\n]+)")?/g;

function isThere(document: string, heading: string | undefined): boolean {
  if (!existsSync(projectRoot + document)) return false;
  return heading === undefined || headingsOf(textOf(document)).some(({ text }) => text === heading);
}

describe('a comment in the code', () => {
  test('code comments cite only pages and headings that exist', () => {
    const wrong = codeFiles.flatMap((path) =>
      [...textOf(path).matchAll(citation)]
        .filter(([, document = '', heading]) => !isThere(document, heading))
        .map(([text]) => `${path}: ${text}`),
    );
    expect(wrong).toEqual([]);
  });

  test('code comments cite no page by a number', () => {
    const numbered = codeFiles.flatMap((path) =>
      [...textOf(path).matchAll(/\bcontract \d\S*/gi)].map(([text]) => `${path}: ${text}`),
    );
    expect(numbered).toEqual([]);
  });
});

interface Link {
  from: string;
  target: string;
}

function linksOf(document: string): Link[] {
  const withoutCode = prose(textOf(document)).replaceAll(/`[^`\n]*`/g, '');
  return [...withoutCode.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => ({ from: document, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target));
}

function isBroken({ from, target }: Link): boolean {
  const [path = '', anchor] = target.split('#');
  const document = path === '' ? from : posix.normalize(posix.join(posix.dirname(from), path));
  if (!existsSync(projectRoot + document)) return true;
  if (anchor === undefined) return false;
  return !headingsOf(textOf(document)).some(({ text }) => anchorOf(text) === anchor);
}

/** Names of our files in code spans, such as `container/http/submit.ts`. */
function filesNamedIn(document: string): string[] {
  const folders = [...codeFolders, 'docs', '.github'].map((folder) => folder.replace('.', '\\.'));
  const path = new RegExp(`\`((?:${folders.join('|')})/[\\w./-]*\\.(?:ts|mjs|sh|md|png|yml))\``, 'g');
  return [...prose(textOf(document)).matchAll(path)].map(([, name = '']) => name);
}

describe('our documents', () => {
  test('documents link only to files and headings that exist', () => {
    const broken = documents().flatMap(linksOf).filter(isBroken);
    expect(broken.map(({ from, target }) => `${from}: ${target}`)).toEqual([]);
  });

  test('documents name only files that exist', () => {
    // The changelog names files of earlier versions.
    const missing = documents()
      .filter((document) => document !== 'CHANGELOG.md')
      .flatMap((document) => filesNamedIn(document).map((path) => ({ document, path })))
      .filter(({ path }) => !existsSync(projectRoot + path));
    expect(missing.map(({ document, path }) => `${document}: ${path}`)).toEqual([]);
  });
});

const decisions = filesIn('docs/decisions').filter((path) => !path.endsWith('/README.md'));

test('the index of decisions links every page by its title', () => {
  const index = textOf('docs/decisions/README.md');
  const missing = decisions.filter((path) => {
    const [title] = headingsOf(textOf(path));
    return !index.includes(`[${title?.text}](${path.replace('docs/decisions/', '')})`);
  });
  expect(missing).toEqual([]);
});

describe('generated tables', () => {
  test.each(documentsWithTables)(
    'the tables in %s are current (`npm run docs:tables` writes them)',
    async (document) => {
      const text = textOf(document);
      expect(await withTables(document, text)).toBe(text);
    },
  );

  test('the chart of the figures is current (`npm run docs:tables` draws it)', () => {
    expect(drawFigures()).toBe(textOf(figureChart));
  });

  test.each(documentsWithTables)('the tables in %s have no unwritten cell', (document) => {
    expect(textOf(document)).not.toContain(toWrite);
  });

  test('docs/reference/errors.md explains every error code', () => {
    const rows = [...textOf('docs/reference/errors.md').matchAll(/^\| `([a-z_]+)` +\| \d{3} +\| \S/gm)];
    expect(new Set(rows.map(([, code]) => code))).toEqual(new Set(Object.keys(statusByErrorCode)));
  });

  test('docs/reference/retries.md states the default figures', () => {
    const rows = [...textOf('docs/reference/retries.md').matchAll(/^\| `(\w+)` +\| ([\d,]+) s /gm)];
    const told = rows.map(([, name, seconds = '']) => [name, Number(seconds.replace(',', ''))]);
    expect(Object.fromEntries(told)).toEqual(defaultRetryPolicy);
  });

  test('the settings tables have every variable that a process reads', () => {
    const settings = textOf('docs/reference/settings.md');
    const names = variablesIn([textOf('container/config.ts'), ...workerFiles.map(textOf), storeVariables].join('\n'));
    expect(names).toContain('MEDIA_ROOT');
    expect(names.filter((name) => !new RegExp(`(?:\`|>_)${name}\``).test(settings))).toEqual([]);
    const server = textOf('docs/server.md');
    expect(
      variablesIn(textOf('server/config.ts') + storeVariables).filter(
        (name) => !identitySettings.test(name) && !server.includes(`\`${name}\``),
      ),
    ).toEqual([]);
  });
});

/** Variables that the worker and the server share. */
const storeVariables = ['s3', 'azure', 'google']
  .map((name) => textOf(`stores/${name}/${name}-variables.ts`))
  .join('\n');
const workerFiles = filesIn('worker').filter((path) => path.endsWith('.ts'));

/** Keys of a schema of settings, and quoted names of variables. */
function variablesIn(code: string): string[] {
  const keys = [...code.matchAll(/^\s+([A-Z][A-Z0-9_]*): /gm)];
  const quoted = [...code.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)];
  return [...keys, ...quoted].map(([, name = '']) => name);
}
