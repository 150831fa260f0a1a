import type { DescField } from "@bufbuild/protobuf";
import type { FeedModel, MethodModel } from "../model/model.ts";
import { access } from "./accessor.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { typed } from "./erasable.ts";
import { printString } from "./literal.ts";

/**
 * Returns the adapter's description of a feed whose messages are batches, as a member of an object literal.
 */
export function feedMember(method: MethodModel, feed: FeedModel, file: AdapterFile): string[] {
  return [
    "feed: {",
    `  batch: { ${batchParts(feed)} },`,
    ...startLines(method, feed, file).map((line) => `  ${line}`),
    ...foldLines(method, feed, file).map((line) => `  ${line}`),
    ...pagesLines(feed).map((line) => `  ${line}`),
    "},",
  ];
}

function batchParts({ batch }: FeedModel): string {
  return Object.entries(batch)
    .flatMap(([name, field]) => (field === undefined ? [] : [`${name}: ${field.number}`]))
    .join(", ");
}

function startLines({ desc }: MethodModel, { start }: FeedModel, file: AdapterFile): string[] {
  const { backlog, after, token, heartbeat } = start;
  const named = Object.entries({ backlog, after, token }).filter(
    (entry): entry is [string, DescField] => entry[1] !== undefined,
  );
  const values = [
    // an unset field without presence is an empty string or false
    ...named.map(([name, field]) => `${name}: ${access([field]).optional} || undefined`),
    ...(heartbeat === undefined
      ? []
      : [`heartbeatMs: ${file.runtimeValue("heartbeatMs")}(${access([heartbeat]).optional})`]),
  ];
  const fields = named.map(([name, field]) => `${name}: ${printString(field.name)}`);
  if (values.length === 0) return ["start: () => ({}),", "startFields: {},"];
  return [
    `start: (message${typed(file.messageType(desc.input))}) => ({`,
    ...values.map((value) => `  ${value},`),
    "}),",
    `startFields: { ${fields.join(", ")} },`,
  ];
}

function foldLines({ desc }: MethodModel, { fold }: FeedModel, file: AdapterFile): string[] {
  if (fold.length === 0) return [];
  const parts = fold.map((field) => {
    const { expression, isSet, mayBeUnset } = access([field]);
    const folded = `${field.localName}: ${expression}.toLowerCase()`;
    return mayBeUnset ? `...(${isSet} && { ${folded} })` : folded;
  });
  return [`fold: (message${typed(file.messageType(desc.input))}) => ({ ...message, ${parts.join(", ")} }),`];
}

function pagesLines({ pages }: FeedModel): string[] {
  if (pages === undefined) return [];
  const { link, parameter, size, max } = pages;
  const parts = [
    ...(link === "" ? [] : [`link: ${printString(link)}`]),
    ...(parameter === "" ? [] : [`parameter: ${printString(parameter)}`]),
    ...(size === 0 ? [] : [`size: ${size}`]),
    `max: ${max}`,
  ];
  return [`pages: { ${parts.join(", ")} },`];
}
