/**
 * Returns a string without the user and password of a URL. A password may contain any character, so
 * everything up to the last `@` is removed. The scheme is optional.
 */
export function maskUser(text: string): string {
  return text.replace(
    /^(?:([a-z][a-z0-9+.-]*:\/\/)|[^@]*:)[\s\S]*@/i,
    (_, scheme: string | undefined) => `${scheme ?? ""}[secret]@`,
  );
}

/**
 * Returns a URL without the parts that may contain secrets: user, password, query and fragment. Used in
 * messages and pages.
 */
export function maskAddress(text: string): string {
  return maskUser(text).replace(/^([a-z][a-z0-9+.-]*:[^?#]*)[?#].*$/is, "$1?[secret]");
}
