/** What protoc-gen-es calls the elements of a .proto file. */
import type { DescEnum, DescMessage, DescService } from "@bufbuild/protobuf";
import { exportedNames } from "../descriptors/names.ts";

/** The constant that describes a service, message or enum: `PostService`, `PostSchema`. */
export function descriptorName(desc: DescService | DescMessage | DescEnum): string {
  return named(desc, exportedNames(desc.file).descriptors.get(desc));
}

/** The type of a message or enum: `Post`. */
export function typeName(desc: DescMessage | DescEnum): string {
  return named(desc, exportedNames(desc.file).types.get(desc));
}

function named(desc: DescService | DescMessage | DescEnum, name: string | undefined): string {
  if (name === undefined) throw new Error(`${desc.typeName} has no exported name`);
  return name;
}
