/** Reports whether a request has several Authorization headers, of which Node keeps only the first. */
export function isTwice(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 13 && name.toLowerCase() === "authorization") count += 1;
  }
  return count > 1;
}
