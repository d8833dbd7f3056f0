const code = {
  ...{ quote: 0x22, comma: 0x2c, backslash: 0x5c },
  ...{ bracket: 0x5b, closingBracket: 0x5d, brace: 0x7b, closingBrace: 0x7d },
};

export interface JsonSize {
  values: number;
  /** Lists and objects within each other, at most. */
  depth: number;
}

/**
 * Measures JSON text without parsing it. Each value follows a comma, or begins its list or object. Values may need far
 * more memory and time than their text: sixteen megabytes of `{},` take a gigabyte.
 */
export function measureJson(bytes: Uint8Array): JsonSize {
  let [values, open, depth] = [0, 0, 0];
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === code.backslash) at += 1;
    else if (byte === code.quote) isText = !isText;
    else if (isText) continue;
    else if (byte === code.comma) values += 1;
    else if (byte === code.bracket || byte === code.brace) {
      values += 1;
      open += 1;
      depth = Math.max(depth, open);
    } else if (byte === code.closingBracket || byte === code.closingBrace) open -= 1;
  }
  return { values, depth };
}
