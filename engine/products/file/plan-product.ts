import type { FileSettings } from '../../../contract/file-settings.ts';
import type { EncodeTarget } from '../../plan/encoded-file.ts';
import type { Source } from '../../source/source.ts';
import { planTags, type SourceCovers, type TagPlan } from '../../tags/output-tags.ts';
import { planWrittenMetadata } from '../../tags/written-metadata.ts';
import type { Linked } from '../product/linked.ts';
import { planOutput } from './plan-output.ts';

/** One encoded file. */
export interface FileProduct extends EncodeTarget {
  kind: 'file';
  tags: TagPlan;
}

export async function planFile(
  output: FileSettings,
  source: Source,
  linked: Pick<Linked, 'tags' | 'watermarkOf' | 'subtitleOf'>,
  covers: SourceCovers,
  path: string,
): Promise<FileProduct> {
  const plan = planOutput(output, source, linked.watermarkOf(output), linked.subtitleOf);
  const tags = await planTags(output.tags, source, plan, covers, linked.tags);
  const metadata = planWrittenMetadata(tags, plan, output.tags, source.tracks);
  return { kind: 'file', plan: { ...plan, metadata }, tags, path };
}
