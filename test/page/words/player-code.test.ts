import { expect, test } from 'vitest';
import { playerCode } from '../../../page/words/player-code.ts';

test.each(['hls', 'shaka'] as const)('an address cannot leave its text in the code for %s', (kind) => {
  const url = `https://a.test/"</script><script>alert('x')//`;
  const code = playerCode(kind, url);
  const text = /const url = (".*");/.exec(code)?.[1] ?? '';
  expect(JSON.parse(text)).toBe(url);
  expect(text).not.toContain('<');
});
