import {
  create,
  type DescMessage,
  type DescMethod,
  type DescMethodStreaming,
  type DescMethodUnary,
  type MessageShape,
  toJsonString,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";
import { createConnectTransport } from "@connectrpc/connect-node";
import { type CallReport, type Difference, reasonOf } from "connect-rest-runtime";
import { bearerInterceptor, Session, tokenFromEnvironment } from "connect-rest-runtime/oauth";
import { type DescribedMethod, describedMethod, headersIn, type RequestOptions } from "./described-method.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { printError, printErrorText, printLine } from "./output.ts";
import { printableJson } from "./printable-json.ts";
import { openTokenFile, type TokenFileOption } from "./token-files.ts";

export interface CallOptions extends RequestOptions, TokenFileOption {
  readonly gateway?: string;
  readonly verbose?: boolean;
}

/** The exit status of a failed call is this number plus the code of the RPC, as in grpcurl. */
const FIRST_CODE_STATUS = 64;

/** Runs `connect-rest call`: calls a method, prints the response, and returns the exit status. */
export async function call(name: string, options: CallOptions): Promise<number> {
  const reports: CallReport[] = [];
  const differences: Difference[] = [];
  let described: DescribedMethod | undefined;
  try {
    described = await describedMethod(name, options, options.gateway === undefined, {
      onCall: (report) => reports.push(report),
      onDifference: (report) => differences.push(...report.differences),
    });
    if (options.verbose === true) await printRequest(described, options);
    await printResponse(described, await transportOf(described, options), options);
    return EXIT_STATUS.ok;
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    printRpcError(error);
    return FIRST_CODE_STATUS + error.code;
  } finally {
    if (options.verbose === true) printReports(reports, differences);
    await described?.close();
  }
}

/** Returns the transport to the upstream, or to a gateway with the tokens of this user. */
async function transportOf({ rest }: DescribedMethod, options: CallOptions): Promise<Transport> {
  const { gateway } = options;
  if (gateway === undefined) return rest.transport;
  const session = new Session(gateway, openTokenFile(options));
  const tokens = tokenFromEnvironment(gateway, process.env) ?? ((await session.status()) && session);
  return createConnectTransport({
    baseUrl: gateway,
    httpVersion: gateway.startsWith("https:") ? "2" : "1.1",
    interceptors: tokens === undefined ? [] : [bearerInterceptor(tokens)],
  });
}

async function printResponse(
  { method, rest, messages }: DescribedMethod,
  transport: Transport,
  options: CallOptions,
): Promise<void> {
  const { deadline } = options;
  const headers = headersIn(options);
  const print = (message: MessageShape<DescMessage>, prettySpaces: number) =>
    printLine(printableJson(toJsonString(method.output, message, { registry: rest.types, prettySpaces })));
  if (isUnary(method)) {
    const [only = create(method.input)] = messages;
    const { message } = await transport.unary(method, undefined, deadline, headers, only);
    print(message, 2);
    return;
  }
  const input = createAsyncIterable([...messages]);
  const response = await transport.stream(method as DescMethodStreaming, undefined, deadline, headers, input);
  for await (const message of response.message) print(message, 0);
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

async function printRequest(
  { method, rest, messages }: DescribedMethod,
  options: CallOptions,
): Promise<void> {
  const [message = create(method.input)] = messages;
  const context = { timeoutMs: options.deadline, header: headersIn(options) };
  const explanation = await rest.explain(method, message, context);
  // the request is sent next
  printErrorText(`${explanation.toString(true)}\n`);
}

function printRpcError(error: ConnectError): void {
  const reason = reasonOf(error);
  printError(`error: ${Code[error.code]}: ${error.rawMessage}${reason === undefined ? "" : ` (${reason})`}`);
}

function printReports(reports: readonly CallReport[], differences: readonly Difference[]): void {
  for (const { upstreamStatus, attempts, durationMs, bytes } of reports) {
    const status = upstreamStatus === undefined ? "no response" : `status ${upstreamStatus}`;
    const requests = attempts === 1 ? "1 request" : `${attempts} requests`;
    printError(`< ${status}, ${bytes} bytes, ${durationMs.toFixed(1)} ms, ${requests}`);
  }
  for (const { class: kind, path, expected, got } of differences) {
    printError(`< ${kind}: ${path}: expected ${expected}, got ${got}`);
  }
}
