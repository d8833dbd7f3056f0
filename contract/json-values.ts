const code = { quote: 0x22, comma: 0x2c, bracket: 0x5b, backslash: 0x5c, brace: 0x7b };

/**
 * Number of values in JSON text: each value follows a comma, or begins its list or object. Values may need far more
 * memory and time than their text: sixteen megabytes of `{},` take a gigabyte.
 */
export function countJsonValues(bytes: Uint8Array): number {
  let values = 0;
  let isText = false;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === code.backslash) at += 1;
    else if (byte === code.quote) isText = !isText;
    else if (!isText && (byte === code.comma || byte === code.bracket || byte === code.brace)) values += 1;
  }
  return values;
}
