/** Text of a part of a URL; the part itself if its escapes are invalid, such as the literal % of `100%.wav`. */
export function decodedPart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
