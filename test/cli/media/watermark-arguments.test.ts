import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWatermark } from '../../../cli/media/watermark-arguments.ts';
import { useFolder } from '../../support/folder.ts';

const userFolder = useFolder();
writeFileSync(join(userFolder, 'our logo.png'), 'picture');

test('describes a watermark from a local file or a URL with its options', () => {
  const local = describeWatermark({ watermark: 'our logo.png', watermarkPlace: 'top-left' }, userFolder);
  expect(local?.file).toEqual({ path: join(userFolder, 'our logo.png'), name: 'watermark.png' });
  expect(local?.fieldAt((name) => `file:///staged/${name}`)).toMatchObject({
    url: 'file:///staged/watermark.png',
    place: 'top-left',
  });
  const url = 's3://brand/logo.png';
  const remote = describeWatermark({ watermark: url, watermarkOpacity: 0.5, watermarkSize: 0.2 }, userFolder);
  expect(remote?.file).toBeUndefined();
  expect(remote?.fieldAt(String)).toMatchObject({ url, opacity: 0.5, size: 0.2 });
  expect(describeWatermark({}, userFolder)).toBeUndefined();
});

test('refuses a missing watermark file', () => {
  expect(() => describeWatermark({ watermark: 'no logo.png' }, userFolder)).toThrow('There is no file "no logo.png"');
});
