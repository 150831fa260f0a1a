import type { AnyDesc, DescFile } from "@bufbuild/protobuf";

/** Returns the file that declares an element. */
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

/** Returns the number of the field `options` in the descriptor of an element. */
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

/**
 * Returns the path of an element in its FileDescriptorProto, in the form of SourceCodeInfo.Location.path.
 */
export function sourcePath(desc: AnyDesc): number[] {
  switch (desc.kind) {
    case "file":
      return [];
    case "service":
      return [6, indexIn(desc.file.proto.service, desc.proto)];
    case "rpc":
      return [...sourcePath(desc.parent), 2, indexIn(desc.parent.proto.method, desc.proto)];
    case "message":
      return desc.parent === undefined
        ? [4, indexIn(desc.file.proto.messageType, desc.proto)]
        : [...sourcePath(desc.parent), 3, indexIn(desc.parent.proto.nestedType, desc.proto)];
    case "enum":
      return desc.parent === undefined
        ? [5, indexIn(desc.file.proto.enumType, desc.proto)]
        : [...sourcePath(desc.parent), 4, indexIn(desc.parent.proto.enumType, desc.proto)];
    case "enum_value":
      return [...sourcePath(desc.parent), 2, indexIn(desc.parent.proto.value, desc.proto)];
    case "field":
      return [...sourcePath(desc.parent), 2, indexIn(desc.parent.proto.field, desc.proto)];
    case "oneof":
      return [...sourcePath(desc.parent), 8, indexIn(desc.parent.proto.oneofDecl, desc.proto)];
    case "extension":
      return desc.parent === undefined
        ? [7, indexIn(desc.file.proto.extension, desc.proto)]
        : [...sourcePath(desc.parent), 6, indexIn(desc.parent.proto.extension, desc.proto)];
  }
}

const indexes = new WeakMap<readonly object[], ReadonlyMap<object, number>>();

/**
 * Returns the index of an element in its list. Each list is indexed once, since an enum may have very many
 * values.
 */
function indexIn<T extends object>(list: readonly T[], element: T): number {
  const known = indexes.get(list) ?? new Map(list.map((each, index) => [each, index]));
  indexes.set(list, known);
  return known.get(element) ?? -1;
}
