import { expect, test } from 'vitest';
import { containerPlace } from '../../../worker/containers/place.ts';

const unset = { url: undefined, host: undefined };
const machine = 'machine-1';

test.each([
  ['http://encoder.test:8080', unset, { containerUrl: 'http://encoder.test:8080' }],
  ['http://127.0.0.1:8080', unset, { containerUrl: 'http://127.0.0.1:8080', machine }],
  ['http://[::1]:8080', unset, { containerUrl: 'http://[::1]:8080', machine }],
  ['http://localhost:8080', { url: undefined, host: '10.1.2.3' }, { containerUrl: 'http://10.1.2.3:8080' }],
  ['http://127.0.0.1:8080/base', { url: undefined, host: 'fd00::7' }, { containerUrl: 'http://[fd00::7]:8080/base' }],
  ['http://127.0.0.1:8080', { url: 'https://c.test', host: '10.1.2.3' }, { containerUrl: 'https://c.test' }],
  [
    'http://encoder.test:8080',
    { url: 'https://c.test', host: undefined },
    { containerUrl: 'http://encoder.test:8080' },
  ],
])('other workers find %s, advertised as %j, at %j', (containerUrl, advertised, place) => {
  expect(containerPlace(containerUrl, { ...advertised, machine })).toEqual(place);
});
