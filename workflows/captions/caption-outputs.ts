import type { EncodeInput } from '../../contract/workflow/encode.ts';

type Output = EncodeInput['outputs'][number];
type Subtitles = Exclude<Output['subtitles'], string | undefined>;

/** Turns the captions of outputs into subtitles from the file at `url` (pure). Undefined: there are no captions. */
export function withCaptions(outputs: EncodeInput['outputs'], url: string | undefined): Output[] {
  return outputs.map(({ captions, ...output }) => {
    if (captions === undefined || url === undefined) return output;
    const others = fieldsOf(output.subtitles);
    if (captions === 'burn') return { ...output, subtitles: { ...others, burn: { url } } };
    const track = { url, ...(captions !== true && captions) };
    return { ...output, subtitles: { ...others, add: [...(others.add ?? []), track] } };
  });
}

function fieldsOf(subtitles: Output['subtitles']): Subtitles {
  switch (subtitles) {
    case undefined:
    case 'drop':
      return {};
    case 'keep':
      return { keep: true };
    case 'burn':
      return { burn: 'default' };
    default:
      return subtitles;
  }
}
