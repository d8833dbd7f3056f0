import type { Connection } from '@temporalio/client';
import {
  checkSearchAttributes,
  type SearchAttributeCheck,
  type SearchAttributeName,
  searchAttributeTypeNumber,
} from '../contract/search-attributes.ts';

/** Added attributes, and existing ones of the wrong type, which stay unchanged. */
export interface Registration {
  added: SearchAttributeName[];
  mistyped: SearchAttributeCheck['mistyped'];
}

export async function registerSearchAttributes(connection: Connection, namespace: string): Promise<Registration> {
  const { operatorService } = connection;
  const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
  const { missing: added, mistyped } = checkSearchAttributes(customAttributes ?? {});
  if (added.length > 0) {
    const searchAttributes = Object.fromEntries(added.map((name) => [name, searchAttributeTypeNumber(name)]));
    await operatorService.addSearchAttributes({ namespace, searchAttributes });
  }
  return { added, mistyped };
}
