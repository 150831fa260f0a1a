import type { Api, Operation } from "../normalize/api.ts";
import type { File, Service } from "../proto/model.ts";

/** The content of the project files other than `.proto` files. */
export interface Project {
  readonly api: Api;
  readonly upstream: string;
  readonly package: string;
  readonly services: readonly Service[];
  readonly files: readonly File[];
  readonly operations: readonly Operation[];
  /** The names of the base URLs of operations that have their own servers, by URL. */
  readonly bases: ReadonlyMap<string, string>;
  /** The options that would add methods for likely pages. */
  readonly likelyPages: readonly string[];
}
