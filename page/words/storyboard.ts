/** A frame on a sprite sheet. Times are in seconds, the rest in pixels. */
export interface Tile {
  start: number;
  end: number;
  /** URL of the sprite sheet, relative to the storyboard. */
  sheet: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

const cue = /^((?:\d+:)?\d+:\d+\.\d+) --> ((?:\d+:)?\d+:\d+\.\d+).*\n(.+)#xywh=(\d+),(\d+),(\d+),(\d+)$/gm;

/** Parses a `storyboard.vtt`. */
export function parseStoryboard(text: string): Tile[] {
  return [...text.replaceAll('\r\n', '\n').matchAll(cue)].map(([, start = '', end = '', sheet = '', ...numbers]) => {
    const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Number);
    return { start: secondsOf(start), end: secondsOf(end), sheet, x, y, width, height };
  });
}

function secondsOf(clock: string): number {
  return clock.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0);
}

export function tileAt(tiles: readonly Tile[], seconds: number): Tile | undefined {
  return tiles.find(({ end }) => seconds < end) ?? tiles.at(-1);
}
