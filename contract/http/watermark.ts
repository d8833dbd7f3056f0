import { z } from 'zod';
import { TransferHeaders } from './headers.ts';
import { checkLinkHeaders, type FileLink } from './tags.ts';
import { ContainerSourceUrl } from './url.ts';

export const watermarkPlaces = ['top-left', 'top-right', 'bottom-left', 'bottom-right', 'centre'] as const;

/** Image over the pictures of an output. The schema of links differs between container and workflow. */
export function watermarkSchema<Url extends z.ZodType<string>, Headers extends z.ZodType<Record<string, unknown>>>(
  url: Url,
  headers: Headers,
) {
  return z
    .strictObject({
      url,
      headers: headers.optional(),
      place: z.enum(watermarkPlaces).optional(),
      /** width as a share of the picture's width */
      size: z.number().min(0.01).max(1).optional(),
      /** Factor on the image's own opacity. */
      opacity: z.number().min(0.01).max(1).optional(),
      /** Distance to the edges as a share of the picture's width. */
      margin: z.number().min(0).max(0.4).optional(),
    })
    .superRefine((watermark, context) => checkLinkHeaders(watermark as FileLink, context));
}

export const ContainerWatermark = watermarkSchema(ContainerSourceUrl, TransferHeaders);
export type ContainerWatermark = z.infer<typeof ContainerWatermark>;
