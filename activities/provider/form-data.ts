/** Everything around the streamed file of a multipart/form-data body, so that its length is known in advance. */
export interface FormDataFrame {
  contentType: string;
  head: Buffer;
  tail: Buffer;
}

export function frameFormData(
  boundary: string,
  fields: readonly (readonly [name: string, value: string])[],
  file: { field: string; name: string; contentType: string },
): FormDataFrame {
  const parts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
  );
  const disposition = `content-disposition: form-data; name="${escapeName(file.field)}"; filename="${escapeName(file.name)}"`;
  const head = `${parts.join('')}--${boundary}\r\n${disposition}\r\ncontent-type: ${file.contentType}\r\n\r\n`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    head: Buffer.from(head, 'utf8'),
    tail: Buffer.from(`\r\n--${boundary}--\r\n`, 'utf8'),
  };
}

/** Escapes like browsers (WHATWG), so that a name cannot end its header early. */
function escapeName(text: string): string {
  return text.replace(/\n/g, '%0A').replace(/\r/g, '%0D').replace(/"/g, '%22');
}
