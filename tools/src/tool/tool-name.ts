import { createHash } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";

/** What clients of the Model Context Protocol and interfaces of language models take. */
const LONGEST_NAME = 64;
const HASH_DIGITS = 8;

/**
 * The full name of a method in the characters that names of tools may have: `blog.v1.BlogService.GetBlogInfo` becomes
 * `blog_v1_BlogService_GetBlogInfo`. An underscore of the full name becomes `-`, so that no two methods share a name.
 *
 * One that is too long loses packages, from the left, and gets the start of the full name's hash: `Messages_Get_1f0c9d2e`.
 */
export function toolName(desc: DescMethod): string {
  const fullName = `${desc.parent.typeName}.${desc.name}`;
  const parts = fullName.split(".").map((part) => part.replaceAll("_", "-"));
  const name = parts.join("_");
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash("sha256").update(fullName).digest("hex").slice(0, HASH_DIGITS);
  const room = LONGEST_NAME - HASH_DIGITS - 1;
  while (parts.length > 1 && parts.join("_").length > room) parts.shift();
  return `${parts.join("_").slice(0, room)}_${hash}`;
}

/** `ListPostLikes` becomes `List post likes`; words in capitals stay. */
export function titleOf(name: string): string {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? [name];
  const lower = words.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const text = lower.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}
