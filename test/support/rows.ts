import { test } from 'vitest';

/** Whether this is `npm run check:matrix`, which sets the variable. */
export const isMatrix = process.env['HOLDFAST_ROWS'] === 'all';

/**
 * Rows of a table of cases. `matrixOnly` names rows by their first cell: another row takes the same path through the code,
 * so only `npm run check:matrix` runs them.
 */
export function rowsExcept<Row>(matrixOnly: readonly unknown[], rows: readonly Row[]): Row[] {
  const nameOf = (row: Row): unknown => (Array.isArray(row) ? row[0] : row);
  const unknown = matrixOnly.filter((name) => !rows.some((row) => nameOf(row) === name));
  if (unknown.length > 0) throw new Error(`There is no row ${unknown.join(', ')}.`);
  return rows.filter((row) => isMatrix || !matrixOnly.includes(nameOf(row)));
}

/** A test that only `npm run check:matrix` runs: another test takes the same path through the code. */
export const matrixTest = test.runIf(isMatrix);
