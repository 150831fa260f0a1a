import type { DescEnum, DescFile, DescMessage, DescService } from "@bufbuild/protobuf";
import { exportedNames } from "../descriptors/names.ts";

/** A module of protoc-gen-es, and what it calls an element of a .proto file. */
export interface GeneratedExport {
  readonly name: string;
  /** Its path below the output directory, without extension; undefined for the well-known types. */
  readonly path: string | undefined;
}

/** The package that has the messages of google.protobuf. */
export const WELL_KNOWN = "@bufbuild/protobuf/wkt";

/** The constant that describes a service, message or enum: `PostService`, `PostSchema`. */
export function descriptorExport(desc: DescService | DescMessage | DescEnum): GeneratedExport {
  return { name: named(desc, exportedNames(desc.file).descriptors.get(desc)), path: pathOf(desc.file) };
}

/** The type of a message or enum: `Post`. */
export function typeExport(desc: DescMessage | DescEnum): GeneratedExport {
  return { name: named(desc, exportedNames(desc.file).types.get(desc)), path: pathOf(desc.file) };
}

function named(desc: DescService | DescMessage | DescEnum, name: string | undefined): string {
  if (name === undefined) throw new Error(`${desc.typeName} has no exported name`);
  return name;
}

function pathOf(file: DescFile): string | undefined {
  return file.proto.package === "google.protobuf" ? undefined : `${file.name}_pb`;
}
