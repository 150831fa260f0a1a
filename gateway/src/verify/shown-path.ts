/** Matches a segment of a path that is more likely a name than an identifier or a secret. */
const NAME = /^(?:[a-z][a-z_-]{0,30}|v\d{1,2}|[A-Za-z]+)$/;

/** Returns a recorded path for a report, with `*` in place of segments that may be identifiers. */
export function shownPath(path: string): string {
  const shown = path.split("/").map((segment) => {
    return segment === "" || (segment.length <= 32 && NAME.test(segment)) ? segment : "*";
  });
  return shown.slice(0, 20).join("/");
}
