/**
 * Replaces resource indicators (RFC 8707) that mean this gateway by its one audience: clients name the
 * origin, with or without a slash, or what they call below it. Others stay, and are rejected by the engine.
 */
export function settleResource(parameters: URLSearchParams, publicUrl: string): void {
  const given = parameters.getAll("resource");
  if (given.length === 0 || !given.every((each) => isOwnResource(each, publicUrl))) return;
  parameters.delete("resource");
  parameters.append("resource", publicUrl);
}

/** Whether a resource is this gateway, or a part of it. */
export function isOwnResource(resource: string, publicUrl: string): boolean {
  if (!/^https?:\/\/[^?#@\\\s]+$/i.test(resource)) return false;
  return URL.parse(resource)?.origin === publicUrl;
}
