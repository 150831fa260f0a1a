import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from "@bufbuild/protobuf";
import { type Violation, ViolationsSchema } from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import { ConnectError } from "@connectrpc/connect";
import {
  type BadRequest_FieldViolation,
  BadRequestSchema,
} from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";

/** The maximum sizes of an error in its response, in bytes. */
export interface ErrorBounds {
  /** The maximum size of the message. */
  readonly text: number;
  /** The maximum size of all details together. */
  readonly details: number;
  /** Returns the encoded size of a character. */
  readonly sizeOf: (character: string) => number;
}

/**
 * The bounds in headers, which many gRPC clients limit to 8 KiB in total. The message appears twice:
 * percent-encoded, and in the base64 of the details.
 */
export const HEADER_BOUNDS: ErrorBounds = {
  text: 1024,
  details: 3 * 1024,
  sizeOf: (character) => (/[\x20-\x24\x26-\x7e]/.test(character) ? 1 : 3 * Buffer.byteLength(character)),
};

/** The bounds in a body. */
export const BODY_BOUNDS: ErrorBounds = {
  text: 4 * 1024,
  details: 64 * 1024,
  sizeOf: (character) => Buffer.byteLength(character),
};

type Detail = ConnectError["details"][number];

const CUT = "...";

/**
 * Returns the error within its bounds: truncates the message with dots, removes violations from the end of
 * their lists, and removes details that do not fit. The smallest details are kept first, e.g. the reason and
 * the retry delay.
 */
export function boundedError(error: ConnectError, bounds: ErrorBounds): ConnectError {
  const text = boundedText(error.rawMessage, bounds);
  const sized = error.details.map(sizedDetail);
  const isSmall = sized.reduce((sum, { size }) => sum + size, 0) <= bounds.details;
  if (text === error.rawMessage && isSmall) return error;
  const bounded = new ConnectError(text, error.code, error.metadata, undefined, error.cause);
  bounded.details = isSmall ? error.details : boundedDetails(sized, bounds.details);
  return bounded;
}

function boundedText(text: string, { text: max, sizeOf }: ErrorBounds): string {
  // no character takes more than twelve bytes
  if (text.length * 12 <= max) return text;
  let size = 0;
  let kept = "";
  for (const character of text.slice(0, max + 1).toWellFormed()) {
    size += sizeOf(character);
    if (size > max) return `${kept}${CUT}`;
    if (size <= max - CUT.length) kept += character;
  }
  return text;
}

interface Sized {
  readonly detail: Detail;
  readonly size: number;
}

function sizedDetail(detail: Detail): Sized {
  return { detail, size: typeOf(detail).length + bytesOf(detail).length };
}

function boundedDetails(sized: readonly Sized[], max: number): Detail[] {
  let left = max;
  const kept = new Map<Detail, Detail>();
  for (const { detail, size } of sized.toSorted((a, b) => a.size - b.size)) {
    const found = size <= left ? detail : shortened(detail, left);
    if (found === undefined) continue;
    left -= sizedDetail(found).size;
    kept.set(detail, found);
  }
  return sized.flatMap(({ detail }) => kept.get(detail) ?? []);
}

/**
 * Returns a detail with as many violations as fit; undefined if the detail is not a list of violations, or if
 * not even one violation fits.
 */
function shortened(detail: Detail, max: number): Detail | undefined {
  switch (typeOf(detail)) {
    case BadRequestSchema.typeName: {
      const { fieldViolations } = fromBinary(BadRequestSchema, bytesOf(detail));
      return longest(fieldViolations, max, (list: BadRequest_FieldViolation[]) =>
        wireDetail(BadRequestSchema, create(BadRequestSchema, { fieldViolations: list })),
      );
    }
    case ViolationsSchema.typeName: {
      const { violations } = fromBinary(ViolationsSchema, bytesOf(detail));
      return longest(violations, max, (list: Violation[]) =>
        wireDetail(ViolationsSchema, create(ViolationsSchema, { violations: list })),
      );
    }
    default:
      return undefined;
  }
}

/** Returns the detail with the longest prefix of a list that fits, by binary search. */
function longest<T>(list: readonly T[], max: number, detailOf: (part: T[]) => Detail): Detail | undefined {
  let [fits, tooMany] = [0, list.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (sizedDetail(detailOf(list.slice(0, middle))).size <= max) {
      fits = middle;
    } else {
      tooMany = middle;
    }
  }
  return fits === 0 ? undefined : detailOf(list.slice(0, fits));
}

function wireDetail<T extends DescMessage>(desc: T, message: MessageShape<T>): Detail {
  return { type: desc.typeName, value: toBinary(desc, message) };
}

function typeOf(detail: Detail): string {
  return "desc" in detail ? detail.desc.typeName : detail.type;
}

function bytesOf(detail: Detail): Uint8Array {
  return "desc" in detail ? toBinary(detail.desc, create(detail.desc, detail.value)) : detail.value;
}
