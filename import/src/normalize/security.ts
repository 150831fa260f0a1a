import { isObject, type Json, listAt, member, textAt, textsAt } from "../json.ts";
import type { Library } from "../load/library.ts";
import { child, type Node } from "../load/node.ts";
import type { Version } from "../load/version.ts";
import type { Scheme, Server } from "./api.ts";

/** Returns the security schemes of a document, by name. */
export function schemesOf(library: Library, version: Version): ReadonlyMap<string, Scheme> {
  const folder =
    version === "2.0"
      ? child(library.root, "securityDefinitions")
      : child(library.root, "components", "securitySchemes");
  if (!isObject(folder.value)) return new Map();
  return new Map(
    Object.keys(folder.value).map((name) => [name, schemeOf(library.follow(child(folder, name)).value)]),
  );
}

function schemeOf(value: Json | undefined): Scheme {
  const type = textAt(value, "type") ?? "";
  const scheme = (textAt(value, "scheme") ?? "").toLowerCase();
  if (type === "basic" || (type === "http" && scheme === "basic")) return { kind: "basic" };
  if (type === "http" && scheme === "bearer") return { kind: "bearer" };
  if (type === "oauth2" || type === "openIdConnect") return { kind: "oauth2" };
  if (type === "apiKey") {
    return { kind: "apiKey", in: textAt(value, "in") ?? "", name: textAt(value, "name") ?? "" };
  }
  return { kind: "other", type: scheme === "" ? type : `${type} ${scheme}` };
}

/** Returns the servers that a document, a path or an operation names. Their variables have default values. */
export function serversOf(node: Node, version: Version): readonly Server[] {
  if (version === "2.0") return swaggerServers(node.value);
  return listAt(node.value, "servers").flatMap((server) => {
    const url = textAt(server, "url");
    if (url === undefined) return [];
    const variables = member(server, "variables");
    const filled = url.replace(/\{([^{}]+)\}/g, (whole, name: string) => {
      return textAt(member(variables, name), "default") ?? whole;
    });
    return [{ url: filled, description: textAt(server, "description") ?? "" }];
  });
}

function swaggerServers(value: Json | undefined): Server[] {
  const host = textAt(value, "host");
  const path = textAt(value, "basePath") ?? "";
  if (host === undefined) return path === "" ? [] : [{ url: path, description: "" }];
  const schemes = textsAt(value, "schemes");
  const scheme = schemes.includes("https") || schemes.length === 0 ? "https" : (schemes[0] ?? "https");
  return [{ url: `${scheme}://${host}${path}`, description: "" }];
}
