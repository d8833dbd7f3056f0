import { existsSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { statusByErrorCode } from '../contract/error-codes.ts';
import { type AudioCodec, audioCodecFacts, audioCodecs } from '../contract/audio-codecs.ts';
import { builtInPresets } from '../contract/presets.ts';
import { presetColumns, presetRow } from '../cli/media/presets.ts';
import { containerFacts, containers, formats } from '../contract/formats.ts';
import { anchorOf, documents, headingsOf, prose, sectionOf } from './support/documents.ts';
import { filesIn, projectRoot, textOf } from './support/project-files.ts';

/** Where our code is, with its comments. */
const codeFolders = [
  ...['contract', 'container', 'engine', 'stores', 'workflows', 'activities', 'client'],
  ...['tracing', 'worker', 'server', 'api-client', 'page', 'cli', 'examples', 'test', 'bench', 'deploy', 'scripts'],
].filter((folder) => existsSync(projectRoot + folder));

const codeFiles = codeFolders
  .flatMap((folder) => filesIn(folder))
  .filter((path) => /\.(?:tsx?|mjs|sh)$|\/(?:guarded|sandboxed)$/.test(path) && path !== 'test/documents.test.ts');

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

const decisions = filesIn('docs/decisions').filter((path) => !path.endsWith('/README.md'));

test('the index of decisions links every page by its title', () => {
  const index = textOf('docs/decisions/README.md');
  const missing = decisions.filter((path) => {
    const [title] = headingsOf(textOf(path));
    return !index.includes(`[${title?.text}](${path.replace('docs/decisions/', '')})`);
  });
  expect(missing).toEqual([]);
});

const page = textOf('docs/contract.md');
/** Environment variables of the stores, which the worker and the server share. */
const storeSettings = ['stores/backends.ts', ...filesIn('stores').filter((path) => path.endsWith('-variables.ts'))];

const codecs = Object.keys(audioCodecs).map((name) => [name, audioCodecFacts(name as AudioCodec)] as const);

describe('docs/contract.md', () => {
  test('has the headings that comments in the code cite', () => {
    const headings = headingsOf(page).filter(({ level }) => level === 2);
    expect(headings.map(({ text }) => text)).toEqual([
      ...['Admission', 'Endpoints', 'Encode', 'Chunk', 'URLs', 'Errors'],
      ...['Retry policy', 'Workflows', 'Settings', 'Outputs'],
    ]);
  });

  test('lists every error code with its status, and no other', () => {
    const rows = [...sectionOf(page, 'Errors').matchAll(/^\| `([a-z_]+)` +\| (\d{3}) /gm)];
    const listed = Object.fromEntries(rows.map(([, code = '', status]) => [code, Number(status)]));
    expect(listed).toEqual(statusByErrorCode);
  });

  test.each([
    ['the container', ['container/config.ts']],
    ['the worker', [...filesIn('worker').filter((path) => path.endsWith('.ts')), ...storeSettings]],
  ])('lists every setting that %s reads', (_process, files) => {
    const settings = sectionOf(page, 'Settings');
    const names = new Set(files.flatMap((file) => variablesIn(textOf(file))));
    expect(names).toContain('MEDIA_ROOT');
    expect([...names].filter((name) => !new RegExp(`(?:\`|>_)${name}\``).test(settings))).toEqual([]);
  });

  test('docs/server.md lists every setting that the server reads', () => {
    const settings = sectionOf(textOf('docs/server.md'), 'Settings');
    const names = ['server/config.ts', ...storeSettings].flatMap((file) => variablesIn(textOf(file)));
    expect(names).toContain('SERVER_PORT');
    expect(names.filter((name) => !settings.includes(`\`${name}\``))).toEqual([]);
  });

  test('lists every format with its container and extension', () => {
    const listed = rowsOf(sectionOf(page, 'Outputs')).map((row) => row.slice(0, 3));
    for (const [name, { container, codec }] of Object.entries(formats)) {
      const format = audioCodecFacts(codec).bitrates === undefined ? name : `${name}_<kbit/s>`;
      expect(listed).toContainEqual([format, container, `.${containers[container].extension}`]);
    }
  });

  test('lists every container with its extension and the codecs that it holds', () => {
    const rows = rowsOf(sectionOf(page, 'Outputs'));
    for (const [name, { extension, audioCodecs: held }] of Object.entries(containers)) {
      expect(rows).toContainEqual([name, `.${extension}`, held.join(', ')]);
    }
  });

  test('lists every container of pictures with the codecs that it holds', () => {
    const rows = rowsOf(sectionOf(page, 'Outputs'));
    for (const name of Object.keys(containers)) {
      const { videoCodecs: held } = containerFacts(name as keyof typeof containers);
      if (held !== undefined) expect(rows).toContainEqual([name, held.join(', ')]);
    }
  });

  test('lists what can be asked of every codec', () => {
    const rows = rowsOf(sectionOf(page, 'Outputs'));
    for (const [codec, { maxChannels, sampleRates }] of codecs) {
      const rates = rows.find(([name, channels]) => name === codec && channels === String(maxChannels))?.[2];
      expect(rates, codec).toBeDefined();
      const numbers = rates?.match(/^[\d, ]+/)?.[0].split(', ') ?? [];
      if (sampleRates !== undefined) expect(numbers.map((rate) => Number(rate.replace(',', '')))).toEqual(sampleRates);
    }
  });
});

test('docs/presets.md lists every preset of Holdfast with all that it sets', () => {
  const [header, _line, ...rows] = rowsOf(textOf('docs/presets.md').replace(/^## [^]*/m, ''));
  expect(header).toEqual([...presetColumns]);
  expect(rows).toEqual(
    Object.entries(builtInPresets).map(([name, preset]) =>
      presetRow(name, preset).map((cell) => cell.replaceAll('`', '')),
    ),
  );
});

/** Keys of the schema, and names in quotes. */
function variablesIn(code: string): string[] {
  const keys = [...code.matchAll(/^\s+([A-Z][A-Z0-9_]*): /gm)];
  const quoted = [...code.matchAll(/'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)'/g)];
  return [...keys, ...quoted].map(([, name = '']) => name);
}

/** The cells of all tables, without their backticks. */
function rowsOf(section: string): string[][] {
  return [...section.matchAll(/^\|(.*)\|$/gm)].map(([, row = '']) =>
    row.split('|').map((cell) => cell.trim().replaceAll('`', '')),
  );
}
