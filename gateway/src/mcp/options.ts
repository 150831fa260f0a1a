import type { CallerAuthorization } from "../authorization/caller-authorization.ts";
import type { Caller } from "../call/caller.ts";
import type { HttpRequest, HttpResponse } from "../listener/http.ts";

/** Methods as tools of the Model Context Protocol. */
export interface McpOptions {
  /** The path of the endpoint. Default: `/mcp`. */
  readonly path?: string | undefined;
  /**
   * Methods that are tools in addition to the read-only methods: `package.Service/Method`, `package.Service`,
   * `package.*` or `*`. Default: none.
   */
  readonly methods?: readonly string[] | undefined;
  /** Methods that are not tools. Default: none. */
  readonly exclude?: readonly string[] | undefined;
  /** Methods that are listed even if there are too many tools to list. Default: none. */
  readonly listed?: readonly string[] | undefined;
  /** The number of tools up to which all are listed. Default: 40. */
  readonly maxTools?: number | undefined;
  /** The maximum size of a result, in bytes of JSON. Default: 256 KiB. */
  readonly maxResultBytes?: number | undefined;
  /** The maximum number of messages that the result of a stream has. Default: 100. */
  readonly maxMessages?: number | undefined;
  /** The time after which the result of a stream has the messages so far, in seconds. Default: 20. */
  readonly maxStreamSeconds?: number | undefined;
}

/** The defaults of the options. */
export const MCP_DEFAULTS = {
  path: "/mcp",
  maxTools: 40,
  maxResultBytes: 256 * 1024,
  maxMessages: 100,
  maxStreamSeconds: 20,
} as const;

/** The path of the endpoint; undefined if there is none. */
export function mcpPathOf(options: McpOptions | undefined): string | undefined {
  return options && (options.path ?? MCP_DEFAULTS.path);
}

/** The endpoint that serves tools. */
export interface McpEndpoint {
  readonly path: string;
  /** Serves a request whose host and origin have been checked. */
  serve(
    request: HttpRequest,
    response: HttpResponse,
    caller: Caller,
    authorization: CallerAuthorization["tools"] | undefined,
  ): void;
}
