// Part of `npm run check`: limits for the prose of comments, test names and documents. `node scripts/check-prose.mjs
// [paths]` checks only those files and folders and lists every offence.
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseSync } from 'oxc-parser';

/** Limits for each kind of offence. The limit for doc comments is a share of all. */
const limits = {
  'doc comments that start with a bare preposition': 0.02,
  'test names that start mid-clause': 0,
  'lines of prose over 160 characters': 20,
  'documents over 700 lines': 0,
  'words in README.md': 1300,
};

const prepositions = new Set([
  ...['about', 'above', 'across', 'after', 'against', 'along', 'among', 'around', 'as', 'at', 'because', 'before'],
  ...['behind', 'below', 'beneath', 'beside', 'besides', 'between', 'beyond', 'by', 'despite', 'down', 'during'],
  ...['except', 'for', 'from', 'in', 'inside', 'into', 'like', 'near', 'of', 'off', 'on', 'onto', 'out', 'outside'],
  ...['over', 'past', 'per', 'since', 'than', 'through', 'throughout', 'to', 'toward', 'towards', 'under', 'until'],
  ...['unto', 'up', 'upon', 'via', 'with', 'within', 'without'],
]);
const conjunctions = new Set([
  'although',
  'and',
  'but',
  'if',
  'nor',
  'once',
  'or',
  'so',
  'then',
  'though',
  'unless',
  'when',
  'where',
  'whether',
  'while',
]);
const relatives = new Set(['that', 'what', 'whatever', 'which', 'whichever', 'who', 'whoever', 'whom', 'whose']);

/** `about a second`, `over 300 lines` and `up to 10 parts` are quantities. */
const quantity = /^(?:(?:about|over|under) (?:\d|an?\b|half\b)|up to\b)/i;

function firstWord(text) {
  return /^[\p{L}’'-]+/u.exec(text)?.[0].toLowerCase() ?? '';
}

export function startsWithPreposition(comment) {
  return prepositions.has(firstWord(comment)) && !quantity.test(comment);
}

/** `after a restart, the job goes on` has a clause after its opening; `of its history, which is long` has none. */
export function startsMidClause(name) {
  const word = firstWord(name);
  if (relatives.has(word)) return true;
  if (!conjunctions.has(word) && !prepositions.has(word)) return false;
  if (quantity.test(name)) return false;
  if (word === 'of' || word === 'than') return true;
  return !name.split(/, /).slice(1).some(isClause);
}

function isClause(part) {
  const word = firstWord(part);
  return / /.test(part.trim()) && !relatives.has(word) && !conjunctions.has(word) && !prepositions.has(word);
}

function textOfComment(value) {
  return value
    .replaceAll(/^\s*\*+/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function* nodesOf(value) {
  if (value === null || typeof value !== 'object') return;
  if (typeof value.type === 'string') yield value;
  for (const child of Object.values(value)) yield* nodesOf(child);
}

/** Identifier at the start of a chain such as `test.skipIf(…).each(…)`. */
function rootOf(callee) {
  if (callee.type === 'CallExpression') return rootOf(callee.callee);
  if (callee.type === 'MemberExpression') return rootOf(callee.object);
  return callee.name;
}

function nameOfTest(node) {
  if (node.type !== 'CallExpression' || !['it', 'test'].includes(rootOf(node.callee))) return undefined;
  const [name] = node.arguments;
  if (name?.type === 'TemplateLiteral') return name.quasis.map(({ value }) => value.cooked).join('0');
  return typeof name?.value === 'string' ? name.value : undefined;
}

function lineOf(text, offset) {
  return text.slice(0, offset).split('\n').length;
}

function judgeCode(path, text, found) {
  const { program, comments } = parseSync(path, text);
  for (const { type, value, start } of comments) {
    if (type !== 'Block' || !value.startsWith('*')) continue;
    found.docComments += 1;
    const comment = textOfComment(value);
    if (startsWithPreposition(comment)) {
      found.add('doc comments that start with a bare preposition', `${path}:${lineOf(text, start)}`, comment);
    }
  }
  if (!path.endsWith('.test.ts')) return;
  for (const node of nodesOf(program)) {
    const name = nameOfTest(node);
    if (name === undefined) continue;
    found.testNames += 1;
    if (startsMidClause(name)) {
      found.add('test names that start mid-clause', `${path}:${lineOf(text, node.arguments[0].start)}`, name);
    }
  }
}

function judgeDocument(path, text, found) {
  const lines = text.trimEnd().split('\n');
  let isCode = false;
  for (const [index, line] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    if (isCode || /^\s*\|/.test(line) || line.length <= 160) continue;
    found.add('lines of prose over 160 characters', `${path}:${index + 1}`, `${line.length} characters`);
  }
  if (lines.length > 700 && path !== 'CHANGELOG.md') {
    found.add('documents over 700 lines', `${path}:1`, `${lines.length} lines`);
  }
  if (path === 'README.md') {
    const words = text.match(/\S+/g).length;
    found.add('words in README.md', `${path}:1`, `${words} words`, words);
  }
}

/** Files under a path, without installed and built ones. */
function filesUnder(path) {
  if (statSync(path).isFile()) return [path];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.flatMap((entry) => {
    if (['node_modules', 'dist', '.git', '.holdfast'].includes(entry.name)) return [];
    if (!entry.isDirectory() && !entry.isFile()) return [];
    return filesUnder(join(path, entry.name));
  });
}

/** Offences by kind, each with its place, and the numbers of comments and names read. */
export function judge(paths) {
  const offences = Object.fromEntries(Object.keys(limits).map((kind) => [kind, { count: 0, places: [] }]));
  const found = {
    docComments: 0,
    testNames: 0,
    offences,
    add(kind, place, quote, count = 1) {
      offences[kind].count += count;
      offences[kind].places.push(`${place} ${quote.length > 100 ? `${quote.slice(0, 100)}…` : quote}`);
    },
  };
  const files = paths.flatMap(filesUnder).map((file) => relative('.', file));
  for (const path of files.sort()) {
    if (/\.(?:tsx?|m[jt]s)$/.test(path)) judgeCode(path, readFileSync(path, 'utf8'), found);
    else if (path.endsWith('.md')) judgeDocument(path, readFileSync(path, 'utf8'), found);
  }
  return found;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const named = process.argv.slice(2);
  const { docComments, testNames, offences } = judge(named.length > 0 ? named : ['.']);
  for (const [kind, { count, places }] of Object.entries(offences)) {
    const limit = limits[kind] > 0 && limits[kind] < 1 ? Math.floor(limits[kind] * docComments) : limits[kind];
    if (count > limit) process.exitCode = 1;
    if (count > limit || named.length > 0) for (const place of places) console.log(place);
    console.log(`${count} ${kind} (at most ${limit})`);
  }
  console.log(`${docComments} doc comments and ${testNames} test names read`);
}
