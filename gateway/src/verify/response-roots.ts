import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { type Kind, MessageTable, stepsOf } from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "connect-rest-runtime/internal";

/** A place in a payload at which an adapter starts to read, and the way it reads the value. */
export interface Root {
  /** The path from the payload. */
  readonly steps: readonly string[];
  readonly kind: Kind;
  /** The field of the response message that receives the value. */
  readonly field?: DescField | undefined;
}

/** Returns the places in a payload that a method's tables read. */
export function rootsOf(adapter: AnyMethodAdapter): readonly Root[] {
  const { output } = adapter.method;
  switch (adapter.kind) {
    case "paginate":
    case "poll":
      return [adapter.items].flat().map((path) => ({ steps: steps(path), kind: { list: adapter.item } }));
    case "records":
      return [{ steps: [], kind: { list: adapter.item } }];
    case "download":
      return [];
    default:
      return [...bodyRoot(output, adapter.body), ...headRoots(output, adapter.head)];
  }
}

type ResponseParts = Pick<Extract<AnyMethodAdapter, { readonly kind: "unary" }>, "body" | "head">;

function bodyRoot(output: DescMessage, body: ResponseParts["body"]): Root[] {
  if (body === undefined) return [];
  if (body instanceof MessageTable) return [{ steps: [], kind: body }];
  const [number, kind] = body;
  return [{ steps: [], kind, field: numbered(output, number) }];
}

function headRoots(output: DescMessage, head: ResponseParts["head"]): Root[] {
  return (head ?? []).flatMap(([number, kind, ...sources]) =>
    sources.flatMap((source) => {
      if (typeof source !== "object" || !("path" in source)) return [];
      return [{ steps: steps(source.path), kind, field: numbered(output, number) }];
    }),
  );
}

function numbered({ fields }: DescMessage, number: number): DescField | undefined {
  return fields.find((field) => field.number === number);
}

function steps(path: string): readonly string[] {
  return path === "" ? [] : stepsOf(path);
}
