import type { DescFile } from "@bufbuild/protobuf";
import { type Config, problemAt } from "./load.ts";
import { importModules } from "./modules.ts";
import type { Problem } from "./problems.ts";

/**
 * Loads the file descriptors that the modules in the `types` setting export; protoc-gen-es generates such
 * modules. Adds a problem for each module that cannot be loaded or exports no file descriptor.
 */
export async function readTypes(config: Config, problems: Problem[]): Promise<DescFile[]> {
  const files: DescFile[] = [];
  for (const { specifier, path, exports } of await importModules(config, "types", problems)) {
    const found = exports.filter(isFile);
    if (found.length === 0) {
      const text = `${specifier} exports no messages; expected a module of protoc-gen-es, e.g. ./gen/shop/v1/events_pb.js`;
      problems.push(problemAt(config, path, text));
    }
    files.push(...found);
  }
  return files;
}

function isFile(value: unknown): value is DescFile {
  return typeof value === "object" && value !== null && "kind" in value && value.kind === "file";
}
