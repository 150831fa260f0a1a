/**
 * A text without the user and the password of an address. A password may have any character in it, so that
 * all before the last `@` counts as one, and the scheme is not needed.
 */
export function maskUser(text: string): string {
  return text.replace(
    /^(?:([a-z][a-z0-9+.-]*:\/\/)|[^@]*:)[\s\S]*@/i,
    (_, scheme: string | undefined) => `${scheme ?? ""}[secret]@`,
  );
}

/**
 * A text without what may be a secret in an address: user and password, query and fragment. For values that a
 * message or a page shows, and that should have none.
 */
export function maskAddress(text: string): string {
  return maskUser(text).replace(/^([a-z][a-z0-9+.-]*:[^?#]*)[?#].*$/is, "$1?[secret]");
}
