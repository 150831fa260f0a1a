import type { JsonValue } from "@bufbuild/protobuf";
import { Code } from "@connectrpc/connect";
import { ProtocolError, ProtocolErrorCode, Server, type ServerContext } from "@modelcontextprotocol/server";
import type { Rest } from "connect-rest-runtime";
import type { Caller } from "../call/caller.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { show } from "../text/show.ts";
import { VERSION } from "../version.ts";
import { MCP_DEFAULTS, type McpOptions } from "./options.ts";
import type { ObjectSchema, Tool } from "./tool.ts";
import { errorResult, structured, type ToolCalls, type ToolResult } from "./tool-calls.ts";
import type { ToolSet } from "./tool-set.ts";

/** The parts that the servers of all requests share. */
export interface ToolServerParts {
  readonly tools: ToolSet;
  readonly calls: ToolCalls;
  readonly rest: Rest;
  readonly options: McpOptions;
}

/** The request that a server serves: its caller, and the headers that upstream credentials may use. */
export interface Peer {
  readonly caller: Caller;
  readonly header: Headers;
  /** Aborted when the client has disconnected. */
  readonly signal?: AbortSignal | undefined;
}

/** Creates the server of the SDK for one request, or for one connection over standard input and output. */
export function createToolServer(parts: ToolServerParts, peer: Peer): Server {
  const { tools } = parts;
  const server = new Server(
    { name: "connect-rest", version: VERSION },
    { capabilities: { tools: {} }, ...(tools.isSearched && { instructions: INSTRUCTIONS }) },
  );
  const finders = new Map((tools.isSearched ? findersOf(parts) : []).map((finder) => [finder.name, finder]));
  server.setRequestHandler("tools/list", () => ({
    tools: [...finders.values(), ...tools.listed].map(listedTool) as never,
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const { name, arguments: given = {} } = params;
    const finder = finders.get(name);
    const tool = finder === undefined ? tools.find(name) : undefined;
    if (finder !== undefined) return (await finder.run(given, peer, context)) as never;
    if (tool === undefined) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `there is no tool ${show(name)}`);
    }
    return (await callTool(parts, tool, given as JsonValue, peer, context)) as never;
  });
  return server;
}

const INSTRUCTIONS =
  "Most tools are not listed. Find them with search_methods, read their parameters with describe_method, and call them with call_method.";

/** The names of the tools that find and call the tools that are not listed. */
const SEARCH = "search_methods";
const DESCRIBE = "describe_method";
export const CALL = "call_method";

interface Finder extends Omit<ListedTool, "outputSchema"> {
  readonly outputSchema?: ObjectSchema;
  readonly run: (given: object, peer: Peer, context: ServerContext) => ToolResult | Promise<ToolResult>;
}

type ListedTool = Pick<
  Tool,
  "name" | "title" | "description" | "inputSchema" | "outputSchema" | "annotations"
>;

function listedTool({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
}: Finder | Tool): object {
  return { name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations };
}

/** Returns the tools that find and call the tools that are not listed. */
function findersOf(parts: ToolServerParts): readonly Finder[] {
  const { tools, rest, options } = parts;
  const { maxResultBytes = MCP_DEFAULTS.maxResultBytes } = options;
  const areReadOnly = tools.all.every(({ annotations }) => annotations.readOnlyHint);
  const withTool = (given: object, work: (tool: Tool) => ToolResult | Promise<ToolResult>) => {
    const name = textOf(given, "name");
    const tool = tools.find(name);
    return tool === undefined ? errorResult(unknownTool(name), rest.types) : work(tool);
  };
  return [
    {
      name: SEARCH,
      title: "Search methods",
      description: `Finds methods by words of their names and descriptions, best first. There are ${tools.all.length} methods.`,
      inputSchema: inputOf({ query: "Words that describe what the method does." }),
      outputSchema: FOUND,
      annotations: READ_ONLY,
      run: (given) =>
        structured({ methods: tools.search(textOf(given, "query")).map(foundTool) }, maxResultBytes),
    },
    {
      name: DESCRIBE,
      title: "Describe a method",
      description: "Returns the description of a method, and the JSON Schema of its arguments.",
      inputSchema: inputOf({ name: "The name of a method that search_methods returned." }),
      annotations: READ_ONLY,
      run: (given) => withTool(given, (tool) => structured(describedTool(tool), maxResultBytes)),
    },
    {
      name: CALL,
      title: "Call a method",
      description: "Calls a method with arguments that fit the schema that describe_method returned.",
      inputSchema: {
        ...inputOf({ name: "The name of a method that search_methods returned." }),
        properties: {
          name: { type: "string", description: "The name of a method that search_methods returned." },
          arguments: { type: "object", description: "The arguments. Default: none." },
        },
      },
      annotations: { readOnlyHint: areReadOnly, idempotentHint: areReadOnly, destructiveHint: !areReadOnly },
      run: (given, peer, context) =>
        withTool(given, (tool) => {
          const { arguments: inner = {} } = given as { readonly arguments?: JsonValue };
          return callTool(parts, tool, inner, peer, context);
        }),
    },
  ];
}

const READ_ONLY = { readOnlyHint: true, idempotentHint: true, destructiveHint: false };

const FOUND: ObjectSchema = {
  type: "object",
  properties: {
    methods: {
      type: "array",
      items: {
        type: "object",
        properties: {
          name: { type: "string" },
          method: { type: "string" },
          description: { type: "string" },
          readOnly: { type: "boolean" },
        },
        required: ["name", "method", "description", "readOnly"],
      },
    },
  },
  required: ["methods"],
};

function inputOf(properties: Readonly<Record<string, string>>): ObjectSchema {
  return {
    type: "object",
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, description]) => [name, { type: "string", description }]),
    ),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function textOf(given: object, name: string): string {
  const value: unknown = (given as Readonly<Record<string, unknown>>)[name];
  return typeof value === "string" ? value : "";
}

function foundTool({ name, path, description, annotations }: Tool): JsonValue {
  const [sentence = ""] = /^.*?(?:\.(?=\s|$)|$)/s.exec(description) ?? [];
  return { name, method: path, description: sentence, readOnly: annotations.readOnlyHint };
}

function describedTool({ name, path, description, inputSchema, annotations }: Tool): JsonValue {
  return {
    name,
    method: path,
    description,
    readOnly: annotations.readOnlyHint,
    inputSchema: inputSchema as never,
  };
}

function unknownTool(name: string) {
  return gatewayError(
    "METHOD_UNKNOWN",
    `there is no method ${show(name)}; search for its name`,
    Code.NotFound,
  );
}

async function callTool(
  { calls }: ToolServerParts,
  tool: Tool,
  given: JsonValue,
  { caller, header, signal }: Peer,
  { mcpReq }: ServerContext,
): Promise<ToolResult> {
  const progressToken = mcpReq._meta?.progressToken;
  const onProgress = (progress: number) => {
    if (progressToken === undefined) return;
    const params = { progressToken, progress };
    // the client may be gone; the call then ends by its signal
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
  const ended = signal === undefined ? mcpReq.signal : AbortSignal.any([signal, mcpReq.signal]);
  return await calls.call(tool, given, { caller, header, signal: ended, onProgress });
}
