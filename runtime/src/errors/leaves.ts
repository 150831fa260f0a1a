import { type DescField, fromBinary, type UnknownField } from "@bufbuild/protobuf";
import {
  isReflectList,
  isReflectMap,
  isReflectMessage,
  type ReflectMessage,
  reflect,
} from "@bufbuild/protobuf/reflect";
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import {
  type Any,
  AnySchema,
  type Duration,
  DurationSchema,
  type Timestamp,
  TimestampSchema,
} from "@bufbuild/protobuf/wkt";
import { knownTypes, typeNameOf } from "connect-rest-codec/internal";
import { isMarked } from "./field-options.ts";
import { STANDARD_TYPES } from "./known-types.ts";

/**
 * A single value in a message. Booleans and known enum values are omitted, since they have no meaning without
 * their field.
 */
export interface Leaf {
  readonly value: string | number | bigint | Uint8Array | Timestamp | Duration;
  /** The field of the value. Undefined if the field is unknown. */
  readonly field: DescField | undefined;
  /** Whether the value's field, or a field that contains it, is marked for redaction. */
  readonly isRedacted: boolean;
}

/**
 * Returns all single values in a message, including values in nested messages, lists, maps, and packed
 * messages.
 */
export function leavesOf(message: ReflectMessage): Leaf[] {
  const leaves: Leaf[] = [];
  addMessage(message, undefined, false, leaves);
  return leaves;
}

function addMessage(
  message: ReflectMessage,
  field: DescField | undefined,
  isRedacted: boolean,
  into: Leaf[],
): void {
  const value: unknown = message.message;
  for (const unknown of message.getUnknown() ?? []) {
    into.push({ value: bytesOf(unknown), field: undefined, isRedacted });
  }
  switch (message.desc.typeName) {
    case TimestampSchema.typeName:
    case DurationSchema.typeName:
      into.push({ value: value as Timestamp | Duration, field, isRedacted });
      return;
    case AnySchema.typeName:
      addAny(value as Any, field, isRedacted, into);
      return;
  }
  for (const each of message.fields) {
    if (message.isSet(each)) add(message.get(each), each, isRedacted || isMarked(each), into);
  }
}

function add(value: unknown, field: DescField, isRedacted: boolean, into: Leaf[]): void {
  if (isReflectMessage(value)) {
    addMessage(value, field, isRedacted, into);
  } else if (isReflectList(value)) {
    for (const item of value) add(item, field, isRedacted, into);
  } else if (isReflectMap(value)) {
    for (const [key, item] of value) {
      // the key of a map is not an enum value, even if the value in the map is
      if (typeof key !== "boolean") into.push({ value: key as string | number | bigint, field, isRedacted });
      add(item, field, isRedacted, into);
    }
  } else if (typeof value !== "boolean" && !(field.enum && Object.hasOwn(field.enum.value, Number(value)))) {
    into.push({ value: value as Leaf["value"], field, isRedacted });
  }
}

function addAny(any: Any, field: DescField | undefined, isRedacted: boolean, into: Leaf[]): void {
  const desc = knownTypes(STANDARD_TYPES).getMessage(typeNameOf(any.typeUrl));
  try {
    if (desc !== undefined) {
      addMessage(reflect(desc, fromBinary(desc, any.value)), field, isRedacted, into);
      return;
    }
  } catch {
    // bytes that do not match the type are searched as raw bytes
  }
  into.push({ value: any.typeUrl, field, isRedacted: false }, { value: any.value, field, isRedacted });
}

function bytesOf({ no, wireType, data }: UnknownField): Uint8Array {
  return new BinaryWriter().tag(no, wireType).raw(data).finish();
}
