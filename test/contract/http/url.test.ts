import { expect, test } from 'vitest';
import { ContainerSourceUrl, ContainerUploadUrl, UploadUrlPrefix, WorkflowUrl } from '../../../contract/http/url.ts';

const schemas = { ContainerSourceUrl, ContainerUploadUrl, WorkflowUrl, UploadUrlPrefix };

test.each(Object.entries(schemas))('%s refuses a file: URL whose name would end early', (_, schema) => {
  // A URL parser takes the rest of the name for a query or a fragment, so the file would be /media/talk in all cases.
  for (const end of ['#1.mp3/', '?.mp3/', '#/', '?/', '?x#y/']) {
    const { error } = schema.safeParse(`file:///media/talk${end}`);
    expect(error?.issues[0]?.message, end).toMatch(/write %3F for \? and %23 for # in the name/);
  }
  for (const url of ['file:///media/talk%231.mp3/', 'file:///media/what%3F/', 'file:///media/ä b/']) {
    expect(schema.safeParse(url).error, url).toBeUndefined();
  }
});

test('reads # and ? in the key of an object literally, and in an https: URL as its server does', () => {
  for (const url of ['s3://media/talk #1.mp3', 's3://media/what?.mp3', 'https://media.test/talk?x=1#y']) {
    expect(WorkflowUrl.safeParse(url).error, url).toBeUndefined();
  }
});
