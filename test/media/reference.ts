import type { Kind } from './kind.ts';
import { fileOf } from './recipe.ts';
import { concatenated, decodePlainly, formatOf, type Sound, type SoundFormat } from './sound.ts';

/** The reference sound of a kind: what plain ffmpeg decodes, in any format. */
export class Reference {
  readonly #kind: Kind;
  readonly #sounds = new Map<string, Promise<Sound>>();

  constructor(kind: Kind) {
    this.#kind = kind;
  }

  async format(): Promise<SoundFormat> {
    const { reference, source } = this.#kind;
    return await formatOf(await fileOf(reference?.find((part) => 'write' in part) ?? source));
  }

  async in(format: SoundFormat): Promise<Sound> {
    const key = `${format.channels} ${format.sampleRate}`;
    const sound = this.#sounds.get(key) ?? this.#decode(format);
    this.#sounds.set(key, sound);
    return await sound;
  }

  async #decode(format: SoundFormat): Promise<Sound> {
    const { reference, source } = this.#kind;
    const sounds = (reference ?? [source]).map(async (part): Promise<Sound> => {
      if ('write' in part) return await decodePlainly(await fileOf(part), format);
      const moments = Math.round(part.silentSeconds * format.sampleRate);
      return { samples: new Float32Array(moments * format.channels), ...format };
    });
    return concatenated(await Promise.all(sounds), format);
  }
}
