/**
 * `JSON.rawJSON`: writes its argument verbatim. The lib types lack it; every supported Node version has it.
 */
export const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };
