import type { Size } from '../../ffmpeg/size.ts';

export interface SheetGrid {
  columns: number;
  rows: number;
  /** pixels of the sheet */
  size: Size;
}

const [usualColumns, mostRows] = [5, 10];

/** Pixels between two pictures, to separate similar ones. */
const gap = 4;

export function layOutSheet(pictures: number, { width, height }: Size): SheetGrid {
  const columns = Math.max(Math.min(usualColumns, pictures), Math.ceil(pictures / mostRows));
  const rows = Math.ceil(pictures / columns);
  return { columns, rows, size: { width: columns * (width + gap) - gap, height: rows * (height + gap) - gap } };
}

/** ffmpeg filter that arranges single pictures on a sheet. */
export function tileFilter({ columns, rows }: SheetGrid): string {
  return `tile=layout=${columns}x${rows}:padding=${gap}:color=black`;
}
