import { baseFault } from "connect-rest-runtime/internal";

/** The kinds of credentials that an upstream may require, with their names in annotations. */
export const CREDENTIALS = {
  none: "NONE",
  "api-key": "API_KEY",
  bearer: "OAUTH2",
  basic: "BASIC",
} as const;

export type CredentialsKind = keyof typeof CREDENTIALS;

/** The answers that a person gave, or the defaults. */
export interface Project {
  /** The upstream, and the first part of the proto package: lowercase letters, digits and underscores. */
  readonly name: string;
  /** The path of an OpenAPI document; undefined to write an example that the user replaces. */
  readonly document: string | undefined;
  /** The address of the API. An OpenAPI document states its own address. */
  readonly baseUrl: string;
  readonly credentials: CredentialsKind;
}

/** A placeholder for an API address that is not known yet. */
export const UNKNOWN_URL = "https://api.example.com";

/** Returns the fault of an address, without a password or a key in it; undefined without a fault. */
export function addressFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null) return text;
  const fault = baseFault(url);
  return fault === undefined ? undefined : `has ${fault}`;
}

const NAME = /^[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*$/;

/** Packages of the files that a project imports, and keys that every object inherits. */
const RESERVED = new Set(["connectrest", "google", "buf", "constructor"]);

/** Reports whether a name can be a part of a proto package, as `buf lint` requires. */
export function isName(text: string): boolean {
  return NAME.test(text) && !RESERVED.has(text);
}

/** Returns the name of a project in a folder: `My-Shop 2` becomes `my_shop2`. */
export function nameFor(folder: string): string {
  const words = folder.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const joined = words.join("_").replaceAll(/_(?=\d)/g, "");
  return isName(joined) ? joined : "api";
}

/** Returns the proto package of a project. */
export function packageOf({ name }: Pick<Project, "name">): string {
  return `${name}.v1`;
}

/** Returns the prefix of the environment variables that contain a project's credentials. */
export function variablePrefix({ name }: Pick<Project, "name">): string {
  return name.toUpperCase();
}
