import { parse } from "@bufbuild/cel";
import { type DescField, type DescMessage, isFieldSet, type Message, ScalarType } from "@bufbuild/protobuf";
import { safePattern } from "./safe-pattern.ts";

type Expression = ReturnType<typeof parse>["expr"];

/** What an expression is, as far as it matters here. Of lists only the size is known. */
type Kind = "bool" | "int" | "string" | "list";

/** The value of an expression for a `this`; undefined where CEL has to say it. Integers of 64 bits are bigints. */
type Value = boolean | number | bigint | string | readonly unknown[] | undefined;

/** An expression that has been understood. */
interface Understood {
  readonly kind: Kind;
  readonly of: (self: never) => Value;
}

/** What `this` is: a message, or a value of a field. */
export type Self = DescMessage | Kind;

/**
 * An expression of CEL as a function, which says whether it is true, or undefined where CEL has to say it; undefined for an
 * expression of which that is not understood.
 */
export function celTest(text: string, self: Self): ((self: never) => boolean | undefined) | undefined {
  let parsed: Expression;
  try {
    parsed = parse(text).expr;
  } catch {
    return undefined;
  }
  const understood = understand(parsed, self);
  return understood?.kind === "bool" ? (understood.of as (self: never) => boolean | undefined) : undefined;
}

function understand({ exprKind }: Expression, self: Self): Understood | undefined {
  switch (exprKind.case) {
    case "constExpr":
      return constant(exprKind.value.constantKind);
    case "identExpr":
      return exprKind.value.name === "this" && typeof self === "string"
        ? { kind: self, of: (value: never) => value }
        : undefined;
    case "selectExpr": {
      const { operand, field, testOnly } = exprKind.value;
      const isOfThis = operand?.exprKind.case === "identExpr" && operand.exprKind.value.name === "this";
      const desc = typeof self === "string" ? undefined : self.fields.find(({ name }) => name === field);
      if (!isOfThis || desc === undefined) return undefined;
      return testOnly ? { kind: "bool", of: (message) => isFieldSet(message, desc) } : selected(desc);
    }
    case "callExpr": {
      const { function: name, target, args } = exprKind.value;
      return called(name, target === undefined ? args : [target, ...args], self);
    }
    default:
      return undefined;
  }
}

type Constant = Extract<Expression["exprKind"], { case: "constExpr" }>["value"]["constantKind"];

function constant({ case: kind, value }: Constant): Understood | undefined {
  const known = ({ boolValue: "bool", int64Value: "int", stringValue: "string" } as const)[String(kind)];
  return known && { kind: known, of: () => value as Value };
}

const ZERO = { bool: false, int: 0, string: "", list: [] } as const;

function selected(field: DescField): Understood | undefined {
  const kind = kindOf(field);
  // members of oneofs are elsewhere, and may not be there
  if (kind === undefined || field.oneof !== undefined || hasDefault(field)) return undefined;
  const { localName } = field;
  return { kind, of: (message: Message & Record<string, Value>) => message[localName] ?? ZERO[kind] };
}

function hasDefault(field: DescField): boolean {
  return "getDefaultValue" in field && field.getDefaultValue() !== undefined;
}

/** What the values of a field are to CEL; undefined for what is not understood. */
export function kindOf(field: DescField): Kind | undefined {
  if (field.fieldKind === "list") return "list";
  if (field.fieldKind === "enum") return "int";
  return field.fieldKind === "scalar" && !field.longAsString ? kindOfScalar(field.scalar) : undefined;
}

/** The same for a scalar. Unsigned integers are another type to CEL. */
export function kindOfScalar(scalar: ScalarType): Kind | undefined {
  switch (scalar) {
    case ScalarType.BOOL:
      return "bool";
    case ScalarType.STRING:
      return "string";
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return "int";
    default:
      return undefined;
  }
}

/** Integers may be numbers and bigints, which compare by what they are worth. */
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  "_==_": (a, b) => a >= b && a <= b,
  "_!=_": (a, b) => a < b || a > b,
  "_<_": (a, b) => a < b,
  "_<=_": (a, b) => a <= b,
  "_>_": (a, b) => a > b,
  "_>=_": (a, b) => a >= b,
};

const STRING_TESTS: Readonly<Record<string, (text: string, part: string) => boolean>> = {
  "_==_": (text, other) => text === other,
  "_!=_": (text, other) => text !== other,
  startsWith: (text, part) => text.startsWith(part),
  endsWith: (text, part) => text.endsWith(part),
  contains: (text, part) => text.includes(part),
};

function called(name: string, args: readonly Expression[], self: Self): Understood | undefined {
  if (name === "matches") return matching(args, self);
  const [a, b, further] = args.map((each) => understand(each, self));
  if (a === undefined || further !== undefined) return undefined;
  if (b === undefined) return args.length === 1 ? ofOne(name, a) : undefined;
  if (a.kind !== b.kind) return undefined;
  switch (a.kind) {
    case "bool":
      return junction(name, a.of, b.of);
    case "int":
      return tested(COMPARISONS[name], a.of, b.of);
    case "string":
      return tested(STRING_TESTS[name], a.of, b.of);
    default:
      return undefined;
  }
}

function ofOne(name: string, { kind, of }: Understood): Understood | undefined {
  if (name === "!_" && kind === "bool") return { kind: "bool", of: (self) => not(of(self)) };
  if (name !== "size" || kind === "bool" || kind === "int") return undefined;
  return { kind: "int", of: (self) => sizeOf(of(self) as string | readonly unknown[]) };
}

function not(value: Value): Value {
  return value === undefined ? undefined : !value;
}

/** Of texts in code points. */
export function sizeOf(value: string | readonly unknown[]): number {
  let size = value.length;
  if (typeof value !== "string") return size;
  for (let at = 0; at < value.length; at++) if ((value.codePointAt(at) ?? 0) > 0xffff) size--;
  return size;
}

function junction(name: string, a: Understood["of"], b: Understood["of"]): Understood | undefined {
  if (name !== "_&&_" && name !== "_||_") return undefined;
  // what decides it, whatever the other side is
  const decisive = name === "_||_";
  const of = (self: never) => {
    const first = a(self);
    if (first === decisive) return first;
    const second = b(self);
    return second === decisive ? second : first === undefined ? undefined : second;
  };
  return { kind: "bool", of };
}

function tested<T>(
  test: ((a: T, b: T) => boolean) | undefined,
  a: Understood["of"],
  b: Understood["of"],
): Understood | undefined {
  return test && { kind: "bool", of: (self) => test(a(self) as T, b(self) as T) };
}

function matching([text, pattern]: readonly Expression[], self: Self): Understood | undefined {
  const of = text && understand(text, self);
  const constantOf = pattern?.exprKind.case === "constExpr" ? pattern.exprKind.value.constantKind : undefined;
  if (of?.kind !== "string" || constantOf?.case !== "stringValue") return undefined;
  const test = safePattern(constantOf.value);
  return test && { kind: "bool", of: (each) => test(of.of(each) as string) };
}
