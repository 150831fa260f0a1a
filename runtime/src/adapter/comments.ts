import type {
  DescEnum,
  DescEnumValue,
  DescField,
  DescMessage,
  DescMethod,
  DescOneof,
  DescService,
} from "@bufbuild/protobuf";
import type { ServiceAdapter } from "./adapter.ts";

/** An element of a .proto file that may have a comment. */
export type Commented =
  | DescService
  | DescMethod
  | DescMessage
  | DescField
  | DescOneof
  | DescEnum
  | DescEnumValue;

/**
 * Loads the comments of a service, its methods, and the messages and enums that the methods use.
 *
 * @returns a function that returns the comment of an element as in the .proto file, without comment marks.
 *   The function returns an empty string for an element without a comment, and for all messages and enums if
 *   the adapter was generated without the option `comments`.
 */
export async function loadComments(adapter: ServiceAdapter): Promise<(desc: Commented) => string> {
  const texts = await commentTexts(adapter);
  return (desc) =>
    texts.get("typeName" in desc ? desc.typeName : `${desc.parent.typeName}.${desc.name}`) ?? "";
}

/** Loads the same comments as a map by full names, without elements that have no comment. */
export async function commentTexts(adapter: ServiceAdapter): Promise<ReadonlyMap<string, string>> {
  const { service, comments } = adapter;
  const modules = (await adapter.loadComments?.()) ?? [];
  const texts = new Map(modules.flatMap((module) => [...module.comments]));
  if (comments === undefined) return texts;
  texts.set(service.typeName, comments.service);
  for (const { name, localName } of service.methods) {
    const text = comments.methods[localName];
    if (text !== undefined) texts.set(`${service.typeName}.${name}`, text);
  }
  return texts;
}
