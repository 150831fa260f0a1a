import type { DescMessage, DescMethod, DescService, MessageShape } from "@bufbuild/protobuf";
import type { ProtoWriter } from "../wire/proto-writer.ts";
import type { RestAnswer } from "./rest-answer.ts";
import type { RestRequest } from "./rest-request.ts";
import type { MethodRules } from "./rules.ts";

/** A method of a generated adapter: how its request becomes a REST call, and the answer protobuf bytes. */
export interface UnaryAdapter<I extends DescMessage = DescMessage, O extends DescMessage = DescMessage> {
  readonly kind: "unary";
  readonly method: DescMethod & { readonly methodKind: "unary"; readonly input: I; readonly output: O };
  readonly rules: MethodRules;
  /** Builds the REST call. Throws a ConnectError with INVALID_ARGUMENT when a value cannot be sent. */
  readonly request: (message: MessageShape<I>) => RestRequest;
  /** Writes the response message as protobuf bytes. */
  readonly response: (answer: RestAnswer, out: ProtoWriter) => void;
}

// biome-ignore lint/suspicious/noExplicitAny: a table of methods of all types; each is used with its own descriptor
export type AnyMethodAdapter = UnaryAdapter<any, any>;

/** A generated adapter: a service and those of its methods that have a REST rule, by their local names. */
export interface ServiceAdapter<S extends DescService = DescService> {
  readonly service: S;
  readonly methods: Readonly<Record<string, AnyMethodAdapter>>;
  /** The comments of the .proto file, for people: of the service, and of each method by its local name. */
  readonly comments?: { readonly service: string; readonly methods: Readonly<Record<string, string>> };
}

/** Makes a unary method of an adapter; the types of its functions follow from the method. */
export function unary<I extends DescMessage, O extends DescMessage>(
  method: UnaryAdapter<I, O>["method"],
  parts: Pick<UnaryAdapter<I, O>, "rules" | "request" | "response">,
): UnaryAdapter<I, O> {
  return { kind: "unary", method, ...parts };
}
