import { type FileHandle, open } from 'node:fs/promises';
import { type Grab, grabPictures } from './grab-pictures.ts';
import { rawBytes } from './image-look.ts';

/** Writes these pictures of a film into one new file. Numbers must ascend and may repeat. */
export async function collectPictures(grab: Grab, numbers: readonly number[], path: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    // At a low frame rate, one picture serves several numbers.
    const times = Map.groupBy(numbers, (number) => number);
    for await (const grabbed of grabPictures(grab, [...times.keys()])) {
      const counts = grabbed.numbers.map((number) => times.get(number)?.length ?? 0);
      await appendPictures(file, grabbed.path, rawBytes(grab.shape.size, grab.look), counts);
    }
  } finally {
    await file.close();
  }
}

async function appendPictures(to: FileHandle, from: string, bytes: number, counts: readonly number[]): Promise<void> {
  const pictures = await open(from);
  try {
    const picture = Buffer.alloc(bytes);
    for (const count of counts) {
      await pictures.read(picture, 0, bytes);
      for (let time = 0; time < count; time += 1) await to.writeFile(picture);
    }
  } finally {
    await pictures.close();
  }
}
