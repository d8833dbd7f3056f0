import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const projectRoot = fileURLToPath(new URL('../../', import.meta.url));

/** Everything of ours that is text and not generated, as paths from the project's root. */
export function filesIn(folder: string): string[] {
  return readdirSync(projectRoot + folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(projectRoot.length))
    .sort();
}

/** Our documents, as paths from the project's root. */
export function documents(): string[] {
  const atRoot = readdirSync(projectRoot).filter((name) => name.endsWith('.md'));
  const below = ['docs', '.github', 'test/fixtures'].flatMap(filesIn).filter((path) => path.endsWith('.md'));
  return [...atRoot, ...below];
}

export function textOf(path: string): string {
  return readFileSync(projectRoot + path, 'utf8');
}

/** The text without its code blocks, whose `#` and brackets are no Markdown. */
export function prose(markdown: string): string {
  return markdown.replaceAll(/^```.*?^```$/gms, '');
}

export interface Heading {
  level: number;
  text: string;
}

export function headingsOf(markdown: string): Heading[] {
  return [...prose(markdown).matchAll(/^(#{1,6}) (.+)$/gm)].map(([, marks = '', text = '']) => ({
    level: marks.length,
    text: text.trim(),
  }));
}

/** The part of a heading's link after `#`, as GitHub makes it. A heading that comes twice gets a number there; ours come once. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** What stands below a heading of the second level. */
export function sectionOf(markdown: string, heading: string): string {
  const sections = markdown.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`There is no section "${heading}"`);
  return section;
}
