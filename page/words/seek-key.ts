const stepSeconds = 5;
const jumpSeconds = 30;

/** Position in seconds that a key seeks to; undefined for other keys. */
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
