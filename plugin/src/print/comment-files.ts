import type { DescEnum, DescFile, DescMessage } from "@bufbuild/protobuf";
import { commentOf } from "../descriptors/comments.ts";
import type { FileModel, ServiceModel } from "../model/model.ts";
import type { ImportOptions } from "../protocol/options.ts";
import { typed } from "./erasable.ts";
import { printString } from "./literal.ts";
import { SourceFile } from "./source-file.ts";

/** The comments, by the full names of their elements. */
type Comments = Map<string, string>;

/** A file `x_comments.ts` in progress. */
export interface CommentFile {
  readonly desc: DescFile;
  readonly source: SourceFile;
  readonly declarations: readonly string[];
}

/**
 * Returns the path of the comment file of a .proto file, relative to the output directory and without
 * extension.
 */
export function commentsPath(desc: DescFile): string {
  return `${desc.name}_comments`;
}

/** Returns the .proto files with comments on elements that the methods of a service use, sorted by name. */
export function commentedFiles(service: ServiceModel, generated: ReadonlySet<DescFile>): DescFile[] {
  return byName(commentsBelow(service, generated).keys());
}

/**
 * Prints the comments on messages and enums that methods use. Each comment appears once, in the comment file
 * of its .proto file, even if several services use its element.
 */
export function printComments(models: readonly FileModel[], options: ImportOptions): CommentFile[] {
  const generated = new Set(models.map(({ desc }) => desc));
  const files = new Map<DescFile, Comments>();
  for (const service of models.flatMap(({ services }) => services)) {
    for (const [desc, comments] of commentsBelow(service, generated)) {
      files.set(desc, new Map([...(files.get(desc) ?? []), ...comments]));
    }
  }
  return byName(files.keys()).map((desc) => printFile(desc, files.get(desc) ?? new Map(), options));
}

function printFile(desc: DescFile, comments: Comments, options: ImportOptions): CommentFile {
  const source = new SourceFile(`${commentsPath(desc)}.ts`, options);
  const type = "ReadonlyMap<string, string>";
  source.add(`export const comments${typed(type)} = new Map([`);
  for (const name of [...comments.keys()].sort()) {
    source.add(`  [${printString(name)}, ${printString(comments.get(name) ?? "")}],`);
  }
  source.add("]);");
  return { desc, source, declarations: [`export declare const comments: ${type};`] };
}

function commentsBelow(
  { desc, methods }: ServiceModel,
  generated: ReadonlySet<DescFile>,
): Map<DescFile, Comments> {
  const files = new Map<DescFile, Comments>();
  for (const type of typesBelow(methods.flatMap(({ desc: method }) => [method.input, method.output]))) {
    // types that are not generated in this run have no comment file
    const home = generated.has(type.file) ? type.file : desc.file;
    const found = commentsIn(type);
    if (found.length > 0) files.set(home, new Map([...(files.get(home) ?? []), ...found]));
  }
  return files;
}

/**
 * Returns the given messages and, recursively, the messages and enums of their fields, except
 * google.protobuf.
 */
function typesBelow(messages: readonly DescMessage[]): Set<DescMessage | DescEnum> {
  const found = new Set<DescMessage | DescEnum>(messages);
  // the iteration includes elements that are added to the set meanwhile
  for (const type of found) {
    for (const field of type.kind === "message" ? type.fields : []) {
      const below = field.message ?? field.enum;
      if (below !== undefined) found.add(below);
    }
  }
  return new Set([...found].filter(({ file }) => file.proto.package !== "google.protobuf"));
}

function commentsIn(type: DescMessage | DescEnum): Array<[string, string]> {
  const members = type.kind === "enum" ? type.values : [...type.fields, ...type.oneofs];
  return [
    [type.typeName, commentOf(type)] as [string, string],
    ...members.map((each): [string, string] => [`${type.typeName}.${each.name}`, commentOf(each)]),
  ].filter(([, comment]) => comment !== "");
}

function byName(files: Iterable<DescFile>): DescFile[] {
  return [...files].sort((a, b) => (a.name < b.name ? -1 : 1));
}
