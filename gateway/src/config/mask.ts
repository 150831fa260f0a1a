/**
 * A text without what may be a secret in an address: user and password, query and fragment. For values that a
 * message or a page shows, and that should have none.
 */
export function maskAddress(text: string): string {
  return text
    .replace(/\/\/[^/?#]*@/g, "//[secret]@")
    .replace(/^([a-z][a-z0-9+.-]*:[^?#]*)[?#].*$/is, "$1?[secret]");
}
