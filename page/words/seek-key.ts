const stepSeconds = 5;
const jumpSeconds = 30;

/** Where a key leads on a time line; undefined: nowhere. */
export function placeByKey(key: string, at: number, length: number): number | undefined {
  switch (key) {
    case 'ArrowRight':
    case 'ArrowUp':
      return at + stepSeconds;
    case 'ArrowLeft':
    case 'ArrowDown':
      return at - stepSeconds;
    case 'PageUp':
      return at + jumpSeconds;
    case 'PageDown':
      return at - jumpSeconds;
    case 'Home':
      return 0;
    case 'End':
      return length;
    default:
      return undefined;
  }
}
