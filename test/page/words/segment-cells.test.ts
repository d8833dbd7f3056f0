import { expect, test } from 'vitest';
import { segmentCells, segmentJobs } from '../../../page/words/segment-cells.ts';

const job = { isCopy: false, state: 'running' as const };
const spread = {
  segments: 6,
  done: 2,
  running: 1,
  waiting: 1,
  jobs: [
    { ...job, segment: 1, percent: 20 },
    { ...job, segment: 1, percent: 35, isCopy: true },
    { ...job, segment: 3, percent: 0, state: 'queued' as const },
  ],
  soundJobs: [],
};

test('the row shows which segments are done, under way, waiting and not started', () => {
  expect(segmentCells(spread)).toEqual([
    { kind: 'done', percent: 100 },
    { kind: 'running', percent: 35 },
    { kind: 'done', percent: 100 },
    { kind: 'waiting', percent: 0 },
    { kind: 'later', percent: 0 },
    { kind: 'later', percent: 0 },
  ]);
});

test('names each job with its container, if the viewer may know the container', () => {
  const containers = { 'segment-1': '10.0.0.1:8080', 'segment-1b': '10.0.0.2:8080' };
  expect(segmentJobs(spread, containers)).toEqual([
    { name: 'Segment 2', facts: '20 % at 10.0.0.1:8080' },
    { name: 'Segment 2, second job', facts: '35 % at 10.0.0.2:8080' },
    { name: 'Segment 4', facts: 'waiting for a container' },
  ]);
  expect(segmentJobs(spread, undefined)[0]).toEqual({ name: 'Segment 2', facts: '20 %' });
});

test('names the jobs of the sound before those of the segments', () => {
  const soundJobs = [
    { ...job, percent: 12.4 },
    { ...job, isCopy: true, percent: 80 },
  ];
  const containers = { sound: '10.0.0.1:8080', soundb: '10.0.0.2:8080' };
  expect(segmentJobs({ ...spread, soundJobs }, containers).slice(0, 3)).toEqual([
    { name: 'Sound', facts: '12 % at 10.0.0.1:8080' },
    { name: 'Sound, second job', facts: '80 % at 10.0.0.2:8080' },
    { name: 'Segment 2', facts: '20 %' },
  ]);
});
