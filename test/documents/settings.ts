import { textOf } from '../support/project-files.ts';

export interface Setting {
  name: string;
  /** Text of the cell; `undefined` if the code computes the default, or names it by a constant. */
  byDefault: string | undefined;
}

/** The variables of the schema in a file, with the defaults that the file states as literals. */
export function readSettings(file: string): Setting[] {
  const entries = textOf(file)
    .split(/^ {2}(?=[A-Z][A-Z0-9_]*: )/m)
    .slice(1);
  return entries.map((entry) => {
    const name = /^[A-Z0-9_]+/.exec(entry)?.[0] ?? '';
    return { name, byDefault: defaultOf(name, entry) };
  });
}

function defaultOf(name: string, entry: string): string | undefined {
  const [schema = ''] = entry.split(/^\}/m);
  const literal = /\.default\(([^()]*)\)/.exec(schema)?.[1]?.trim();
  if (literal === undefined) return /\.optional\(\)\s*,\s*$/.test(schema) ? 'unset' : undefined;
  if (/^'[^']*'$/.test(literal)) return `\`${literal.slice(1, -1)}\``;
  const value = valueOf(literal);
  if (value === undefined) return undefined;
  const isGibibytes = name.endsWith('_BYTES') && value % 1024 ** 3 === 0;
  if (isGibibytes) return `${value / 1024 ** 3} GiB`;
  return name.endsWith('PORT') ? String(value) : value.toLocaleString('en-US');
}

/** `16 * 1024 ** 3` → its value; `undefined` for anything but products and powers of whole numbers. */
function valueOf(expression: string): number | undefined {
  if (!/^[\d_]+(?: \*\*? [\d_]+)*$/.test(expression)) return undefined;
  const factors = expression.replaceAll('_', '').split(/ \* /);
  return factors.reduce((product, factor) => {
    const [base, power = 1] = factor.split(' ** ').map(Number);
    return product * (base ?? 1) ** power;
  }, 1);
}
