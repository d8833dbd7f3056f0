import { describe, expect, test } from 'vitest';
import { isInside, pathOfFileUrl } from '../../contract/file-url.ts';

describe('the path of a file: URL', () => {
  test.each([
    ['file:///a/b.wav', '/a/b.wav'],
    ['file:///sp%20ace%20%C3%A9.wav', '/sp ace é.wav'],
    ['file:///a/../b/./c.wav?x=1#y', '/b/c.wav'],
    ['file://localhost/a.wav', '/a.wav'],
    ['file:///', '/'],
  ])('the URL %s has the path %s', (url, path) => {
    expect(pathOfFileUrl(new URL(url))).toBe(path);
  });

  test.each(['file://host/a', 'file:///a%2fb', 'file:///a%2Fb', 'file:///%00', 'file:///a%', 'http://host/a'])(
    'the URL %s has no path',
    (url) => {
      expect(pathOfFileUrl(new URL(url))).toBeUndefined();
    },
  );
});

describe('a path is inside a folder', () => {
  test.each([
    ['/media', '/media/a', true],
    ['/media', '/media/a/b', true],
    ['/media', '/media', false],
    ['/media', '/media-of-others/a', false],
    ['/media', '/', false],
    ['/', '/media/a', true],
    ['/', '/', false],
  ])('the folder %s holds the path %s: %s', (root, path, inside) => {
    expect(isInside(root, path)).toBe(inside);
  });
});
