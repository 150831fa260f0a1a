/**
 * Replaces resource indicators (RFC 8707) that name this gateway with the only audience. Clients may name the
 * origin, with or without a slash, or a URL with this origin. The engine rejects all other resources.
 */
export function settleResource(parameters: URLSearchParams, publicUrl: string): void {
  const given = parameters.getAll("resource");
  if (given.length === 0 || !given.every((each) => isOwnResource(each, publicUrl))) return;
  parameters.delete("resource");
  parameters.append("resource", publicUrl);
}

/** Reports whether a resource is this gateway or a part of it. */
export function isOwnResource(resource: string, publicUrl: string): boolean {
  if (!/^https?:\/\/[^?#@\\\s]+$/i.test(resource)) return false;
  return URL.parse(resource)?.origin === publicUrl;
}
