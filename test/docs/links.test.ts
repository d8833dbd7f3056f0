import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorOf, documents, filesIn, headingsOf, projectRoot, prose, textOf } from './documents.ts';

/** Where our code is, with its comments. */
const codeFolders = [
  ...['contract', 'container', 'workflows', 'activities', 'client'],
  ...['worker', 'cli', 'test', 'bench', 'scripts'],
].filter((folder) => existsSync(projectRoot + folder));

const codeFiles = codeFolders
  .flatMap(filesIn)
  .filter((path) => /\.(?:ts|mjs|sh)$|\/guarded-\w+$/.test(path) && !path.startsWith('test/docs/'));

/** `docs/contract.md, "Errors"`, also where a line of a comment ends in between; or a whole page, without a heading. */
const citation = /\b((?:docs\/[\w./-]+|[A-Z]{4,})\.md)(?:,?\s+(?:(?:\*|\/\/|#)\s+)?"([^"\n]+)")?/g;

function isThere(document: string, heading: string | undefined): boolean {
  if (!existsSync(projectRoot + document)) return false;
  return heading === undefined || headingsOf(textOf(document)).some(({ text }) => text === heading);
}

describe('a comment in the code', () => {
  test('cites only pages and headings that our documents have', () => {
    const wrong = codeFiles.flatMap((path) =>
      [...textOf(path).matchAll(citation)]
        .filter(([, document = '', heading]) => !isThere(document, heading))
        .map(([text]) => `${path}: ${text}`),
    );
    expect(wrong).toEqual([]);
  });

  test('cites no page that is not in the repository by its numbers', () => {
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

/** `container/http/submit.ts`, where a sentence names a file of ours as code. */
function filesNamedIn(document: string): string[] {
  const folders = [...codeFolders, 'docs', '.github'].map((folder) => folder.replace('.', '\\.'));
  const path = new RegExp(`\`((?:${folders.join('|')})/[\\w./-]*\\.(?:ts|mjs|sh|md|png|yml))\``, 'g');
  return [...prose(textOf(document)).matchAll(path)].map(([, name = '']) => name);
}

describe('our documents', () => {
  test('link only to files and headings that are there', () => {
    const broken = documents().flatMap(linksOf).filter(isBroken);
    expect(broken.map(({ from, target }) => `${from}: ${target}`)).toEqual([]);
  });

  test('name only files that are there', () => {
    // A changelog tells of files as they were.
    const missing = documents()
      .filter((document) => document !== 'CHANGELOG.md')
      .flatMap((document) => filesNamedIn(document).map((path) => ({ document, path })))
      .filter(({ path }) => !existsSync(projectRoot + path));
    expect(missing.map(({ document, path }) => `${document}: ${path}`)).toEqual([]);
  });
});
