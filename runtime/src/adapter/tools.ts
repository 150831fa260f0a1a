import type { DescService } from "@bufbuild/protobuf";

/** A method as a tool of a language model, in the terms of the Model Context Protocol. */
export interface Tool {
  /**
   * The full name of the method, in letters, digits, `_` and `-`, 64 at most: `blog_v1_BlogService_GetBlogInfo`. No two
   * methods share one.
   */
  readonly name: string;
  /** The method's name as words: `Get blog info`. */
  readonly title: string;
  /** The method's comment in the .proto file. */
  readonly description: string;
  readonly kind: "unary" | "server_streaming" | "client_streaming" | "bidi_streaming";
  /** The request in ProtoJSON; of a client stream, one of its messages. */
  readonly inputSchema: ToolSchema;
  /** The response in ProtoJSON; of a server stream, one of its messages. */
  readonly outputSchema: ToolSchema;
  readonly annotations: ToolAnnotations;
}

/** A JSON Schema (draft 2020-12). Its `type` is `object` unless the message is a well-known type that ProtoJSON writes otherwise. */
export interface ToolSchema {
  readonly type?: string;
  readonly [keyword: string]: unknown;
}

/** Hints on what a call does, for whoever decides whether it may be made. */
export interface ToolAnnotations {
  /** The call changes nothing. */
  readonly readOnlyHint: boolean;
  /** The same call once more changes nothing further. */
  readonly idempotentHint: boolean;
  /** The call may change or delete what is there, not only add to it. */
  readonly destructiveHint: boolean;
  /** The call reaches systems outside: always so, since it goes to an upstream. */
  readonly openWorldHint: boolean;
}

/** The tools of a service, by the local names of its methods. Methods without a REST rule have none. */
export type ServiceTools<S extends DescService = DescService> = {
  readonly [Method in keyof S["method"]]?: Tool;
};

/** What a generated file of tools exports. */
export interface ToolsModule {
  /** The tools of each service of the .proto file, by the full names of the services. */
  readonly tools: Readonly<Record<string, ServiceTools>>;
}
