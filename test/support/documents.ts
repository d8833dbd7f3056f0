import { readdirSync } from 'node:fs';
import { filesIn, projectRoot } from './project-files.ts';

/** Paths of all documents, from the project's root. */
export function documents(): string[] {
  const atRoot = readdirSync(projectRoot).filter((name) => name.endsWith('.md'));
  const below = ['docs', '.github', 'test/fixtures']
    .flatMap((folder) => filesIn(folder))
    .filter((path) => path.endsWith('.md'));
  return [...atRoot, ...below];
}

/** Text without code blocks, whose `#` and brackets are not Markdown. */
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

/** GitHub's anchor of a heading. GitHub numbers repeated headings; the pages have none that are linked. */
export function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** Text below a heading of the second level. */
export function sectionOf(markdown: string, heading: string): string {
  const sections = markdown.split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`There is no section "${heading}"`);
  return section;
}
