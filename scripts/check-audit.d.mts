export const packagesOfPage: string[];
