/**
 * Viewers of an event stream in a process of their own. bench/server-viewers.ts starts it and ends it with SIGTERM.
 * They read and keep nothing.
 */
import { get } from 'node:http';

const url = `${process.env['EVENTS_URL']}/api/events`;
const wanted = Number(process.env['VIEWERS']);

let connected = 0;
let bytes = 0;
let events = 0;
const say = (msg: string): void => console.log(JSON.stringify({ msg, bytes, events }));

for (let viewer = 0; viewer < wanted; viewer += 1) {
  get(url, { agent: false }, (response) => {
    if (response.statusCode !== 200) throw new Error(`a viewer was answered ${response.statusCode}`);
    connected += 1;
    if (connected === wanted) say('connected');
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      // A chunk has one event or several.
      for (let at = chunk.indexOf('event: run'); at >= 0; at = chunk.indexOf('event: run', at + 1)) events += 1;
    });
    response.on('end', () => {
      throw new Error('the server has cut a viewer off');
    });
  });
}
process.on('SIGTERM', () => {
  say('left');
  process.exit();
});
