import { readdirSync } from 'node:fs';
import { filesIn, projectRoot } from './project-files.ts';

/** Our documents, as paths from the project's root. */
export function documents(): string[] {
  const atRoot = readdirSync(projectRoot).filter((name) => name.endsWith('.md'));
  const below = ['docs', '.github', 'test/fixtures']
    .flatMap((folder) => filesIn(folder))
    .filter((path) => path.endsWith('.md'));
  return [...atRoot, ...below];
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
