/**
 * `JSON.rawJSON`, which writes its argument verbatim. Every supported Node version has this function, but the
 * lib types lack it.
 */
export const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown };
