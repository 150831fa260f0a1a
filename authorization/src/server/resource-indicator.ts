/** The resources of a gateway: itself, and the endpoint that serves tools. */
export interface Resources {
  readonly publicUrl: string;
  /** The path of the endpoint that serves tools; undefined without such an endpoint. */
  readonly toolsPath?: string | undefined;
}

/** Returns the audiences that tokens may have: the origin of the gateway, and the URL of the tools. */
export function audiencesOf({ publicUrl, toolsPath }: Resources): readonly string[] {
  return toolsPath === undefined ? [publicUrl] : [publicUrl, publicUrl + toolsPath];
}

/**
 * Replaces resource indicators (RFC 8707) that name a part of this gateway with the audience of that part.
 * Clients may name the URL of the tools, which is a separate audience, or the origin or any other URL with
 * this origin, which is the gateway. The engine rejects all other resources.
 */
export function settleResource(parameters: URLSearchParams, resources: Resources): void {
  const given = parameters.getAll("resource");
  const { publicUrl, toolsPath } = resources;
  if (given.length === 0 || !given.every((each) => isOwnResource(each, publicUrl))) return;
  const isTools = (resource: string) => URL.parse(resource)?.pathname.replace(/\/$/, "") === toolsPath;
  const audiences = given.map((each) =>
    toolsPath !== undefined && isTools(each) ? publicUrl + toolsPath : publicUrl,
  );
  parameters.delete("resource");
  for (const audience of new Set(audiences)) parameters.append("resource", audience);
}

/** Reports whether a resource is this gateway or a part of it. */
export function isOwnResource(resource: string, publicUrl: string): boolean {
  if (!/^https?:\/\/[^?#@\\\s]+$/i.test(resource)) return false;
  return URL.parse(resource)?.origin === publicUrl;
}
