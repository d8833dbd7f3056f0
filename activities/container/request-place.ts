import { failureType } from '../../contract/error-codes.ts';
import type { RequestedOutput } from '../../contract/http/output.ts';
import type { UploadPlace } from '../../contract/http/url.ts';
import { linkedFiles } from '../../contract/linked-files.ts';
import { inputMatcher, replacesInput, type TargetPlace } from '../../contract/places.ts';
import { namesOfOutput } from '../../contract/written-names.ts';
import { needsSigning } from '../../stores/backends.ts';
import { finalFailure } from '../final-failure.ts';
import type { RequestUrls } from '../storage/request-urls.ts';

/** How a request asks for the delivery of an output. */
interface RequestedPlace {
  asked: Pick<RequestedOutput, 'uploadUrl' | 'deliver'>;
  /** The place as a URL of its store: the input's schema cannot compare `s3:` with presigned URLs. */
  written: Pick<TargetPlace, 'url' | 'names'>;
}

/** Targets that need a signature are signed when the file is ready: signatures cannot expire during the job, and large files use parts. */
export async function requestPlace(place: UploadPlace, urls: RequestUrls): Promise<RequestedPlace> {
  if (typeof place === 'string' && !needsSigning(place))
    return { asked: { uploadUrl: place }, written: { url: place } };
  const [url, name] = typeof place === 'string' ? [place, ''] : [`${place.prefix}name`, 'name'];
  // Detects missing credentials before the encode.
  const signed = new URL(await urls.another().resolveUpload(url));
  signed.pathname = signed.pathname.slice(0, signed.pathname.length - name.length);
  const names = name === '' ? {} : { names: namesOfOutput };
  return { asked: { deliver: 'on_demand' }, written: { url: signed.href, ...names } };
}

type LinkingOutput = Parameters<typeof linkedFiles>[0];

/** Throws if an output would replace a file that the request reads. */
export function assertInputsKept(
  sourceUrl: string,
  requested: readonly { output: LinkingOutput; written: RequestedPlace['written'] }[],
): void {
  const links = requested.flatMap(({ output }, index) => linkedFiles(output, `outputs.${index}`));
  const inputAt = inputMatcher([{ field: 'sourceUrl', url: sourceUrl }, ...links]);
  for (const [index, { written }] of requested.entries()) {
    const field = inputAt(written);
    if (field === undefined) continue;
    const message = `The input of "encode" is not valid: outputs.${index} ${replacesInput(field)}`;
    throw finalFailure(failureType('invalid_request'), message);
  }
}
