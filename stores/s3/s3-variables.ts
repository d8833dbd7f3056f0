import { z } from 'zod';
import { EndpointSetting } from '../endpoint-setting.ts';

/** Variables of the AWS SDK that locate the store. The SDK itself reads the credentials. */
export const s3Variables = {
  AWS_ENDPOINT_URL: EndpointSetting.optional(),
  AWS_ENDPOINT_URL_S3: EndpointSetting.optional(),
  AWS_REGION: z.string().optional(),
  AWS_DEFAULT_REGION: z.string().optional(),
};
export type S3Variables = z.infer<z.ZodObject<typeof s3Variables>>;
