import type { AnyDesc, DescFile } from "@bufbuild/protobuf";

/** The file that declares an element. */
export function fileOf(desc: AnyDesc): DescFile {
  switch (desc.kind) {
    case "file":
      return desc;
    case "field":
    case "oneof":
    case "rpc":
    case "enum_value":
      return desc.parent.file;
    default:
      return desc.file;
  }
}

/** The number of the field `options` in the descriptor of an element. */
export function optionsNumber(desc: AnyDesc): number {
  switch (desc.kind) {
    case "message":
      return 7;
    case "rpc":
      return 4;
    case "oneof":
      return 2;
    case "field":
    case "extension":
    case "file":
      return 8;
    default:
      return 3;
  }
}

/** The path of an element in its FileDescriptorProto, as SourceCodeInfo.Location.path counts. */
export function sourcePath(desc: AnyDesc): number[] {
  switch (desc.kind) {
    case "file":
      return [];
    case "service":
      return [6, desc.file.proto.service.indexOf(desc.proto)];
    case "rpc":
      return [...sourcePath(desc.parent), 2, desc.parent.proto.method.indexOf(desc.proto)];
    case "message":
      return desc.parent === undefined
        ? [4, desc.file.proto.messageType.indexOf(desc.proto)]
        : [...sourcePath(desc.parent), 3, desc.parent.proto.nestedType.indexOf(desc.proto)];
    case "enum":
      return desc.parent === undefined
        ? [5, desc.file.proto.enumType.indexOf(desc.proto)]
        : [...sourcePath(desc.parent), 4, desc.parent.proto.enumType.indexOf(desc.proto)];
    case "enum_value":
      return [...sourcePath(desc.parent), 2, desc.parent.proto.value.indexOf(desc.proto)];
    case "field":
      return [...sourcePath(desc.parent), 2, desc.parent.proto.field.indexOf(desc.proto)];
    case "oneof":
      return [...sourcePath(desc.parent), 8, desc.parent.proto.oneofDecl.indexOf(desc.proto)];
    case "extension":
      return desc.parent === undefined
        ? [7, desc.file.proto.extension.indexOf(desc.proto)]
        : [...sourcePath(desc.parent), 6, desc.parent.proto.extension.indexOf(desc.proto)];
  }
}
