import { isObject, type Json, member, textAt } from "../json.ts";
import { ImportError } from "../problem.ts";

/** The supported versions. 3.0 has the keyword `nullable`, 3.1 is JSON Schema 2020-12. */
export type Version = "2.0" | "3.0" | "3.1";

/** Returns the version of a document. The error for an unsupported document names its kind and version. */
export function versionOf(document: Json, name: string): Version {
  if (!isObject(document)) throw new ImportError(name, "is not an object; expected an OpenAPI document");
  const { openapi, swagger } = document;
  if (String(swagger) === "2.0" || swagger === 2) return "2.0";
  if (/^3\.0(\.|$)/.test(String(openapi))) return "3.0";
  if (/^3\.1(\.|$)/.test(String(openapi))) return "3.1";
  if (openapi !== undefined || swagger !== undefined) {
    const found = openapi === undefined ? `swagger ${String(swagger)}` : `openapi ${String(openapi)}`;
    throw new ImportError(
      name,
      `is ${found}; convert it to OpenAPI 3.0 or 3.1, which are read, as is Swagger 2.0`,
    );
  }
  throw new ImportError(name, `${otherKind(document)}; expected a key \`openapi\` or \`swagger\``);
}

function otherKind(document: Json): string {
  const schema = textAt(member(document, "info"), "schema") ?? "";
  if (schema.includes("getpostman.com") || member(member(document, "info"), "_postman_id") !== undefined) {
    return "is a Postman collection; export or convert it to OpenAPI";
  }
  if (member(document, "asyncapi") !== undefined) {
    return "is an AsyncAPI document, which describes no HTTP calls";
  }
  if (member(document, "discoveryVersion") !== undefined) return "is a Google API discovery document";
  if (member(document, "log") !== undefined) return "may be a recording (HAR)";
  return "is no OpenAPI document";
}
