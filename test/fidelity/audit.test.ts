import { type DescEnum, type DescField, type DescMessage, getOption } from "@bufbuild/protobuf";
import {
  field as fieldOption,
  oneof as oneofOption,
} from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import { OneofRules_Layout } from "connect-rest-runtime/gen/connectrest/v1/field_rules_pb.js";
import { expect, test } from "vitest";
import { messageOf, reachable, servicesOf } from "./services.ts";

/**
 * Messages in responses of proto/, including nested messages. The runtime's own messages contain no upstream
 * values.
 */
const MESSAGES = [
  ...new Set(
    (await servicesOf("gen")).flatMap(({ methods }) => methods.flatMap(({ output }) => reachable(output))),
  ),
].filter(({ file }) => file.proto.package !== "connectrest.v1");

test("every message in a response of proto/ collects unknown keys", () => {
  const below = MESSAGES.filter((message) => holdersOf(message).length > 0);
  expect(below.length).toBeGreaterThan(50);
  const losing = below.filter((message) => !keepsKeys(message));
  expect(losing.map(({ typeName }) => typeName)).toEqual([]);
});

test("every enum in a response of proto/ has a companion field or a collector that keeps unknown names", () => {
  const enums = MESSAGES.flatMap(({ fields }) => fields).filter((field) => enumOf(field) !== undefined);
  const losing = enums.filter(
    (field) => !field.parent.fields.some((other) => collects(other) || isTwin(other, field)),
  );
  expect(enums.length).toBeGreaterThan(20);
  expect(losing.map(String)).toEqual([]);
});

/** Reports whether a message, or every message that contains its flattened keys, keeps unknown keys. */
function keepsKeys(message: DescMessage): boolean {
  const { fields } = message;
  if (fields.some(collects) || !fields.some(isInBody) || isUnwrapped(fields)) return true;
  return holdersOf(message).every((field) => isFlattened(field) && field.parent.fields.some(collects));
}

/** Returns the fields of other messages that have this message type. */
function holdersOf(message: DescMessage): readonly DescField[] {
  return MESSAGES.flatMap(({ fields }) => fields).filter((field) => messageOf(field) === message);
}

/** Reports whether the keys of a oneof member are next to the keys of its parent. */
function isFlattened({ fieldKind, oneof }: DescField): boolean {
  if (fieldKind !== "message" || oneof === undefined) return false;
  const { layout, discriminator } = getOption(oneof, oneofOption);
  const { FLATTENED, LAYOUT_UNSPECIFIED } = OneofRules_Layout;
  return layout === FLATTENED || (layout === LAYOUT_UNSPECIFIED && discriminator !== "");
}

function rulesOf(field: DescField) {
  return getOption(field, fieldOption);
}

function collects(field: DescField): boolean {
  return rulesOf(field).unknown;
}

function isInBody(field: DescField): boolean {
  return rulesOf(field).from.length === 0;
}

/** Reports whether a message only wraps a list. */
function isUnwrapped([first, ...others]: readonly DescField[]): boolean {
  return others.length === 0 && first?.fieldKind === "list";
}

function enumOf(field: DescField): DescEnum | undefined {
  return field.fieldKind === "enum" || field.fieldKind === "list" || field.fieldKind === "map"
    ? field.enum
    : undefined;
}

function isTwin(other: DescField, field: DescField): boolean {
  const isText = other.fieldKind === "scalar" || (other.fieldKind === "list" && other.listKind === "scalar");
  return other !== field && isText && keyOf(other) === keyOf(field);
}

function keyOf(field: DescField): string {
  return rulesOf(field).name || field.name;
}
